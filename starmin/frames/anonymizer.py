"""Anonymization as a transformer in the form of scikit-learn."""

from typing import Any, Literal, get_args

from starmin.frames.anonymization import Anonymization
from starmin.frames.anonymize import PARAMETERS, anonymize
from starmin.instances.arguments import expect_choice, nearest
from starmin.instances.extras import expect_extra
from starmin.instances.io.frames import eager

Output = Literal["default", "pandas", "polars"]


class Anonymizer:
    """Anonymize data frames in a pipeline; scikit-learn itself is not needed.

    A release is one of a whole table: other rows cannot be brought into it, so there
    is ``fit_transform`` and no ``transform``, as in ``sklearn.manifold.TSNE``.

    Parameters
    ----------
    parameters
        Those of ``anonymize`` but the frame.

    Attributes
    ----------
    release_
        The Anonymization of the frame that was fitted last.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"age": [30, 30, 41, 42], "sex": list("fmff")})
    >>> Anonymizer(k=2).fit_transform(frame)["sex"].to_list()
    ['*', '*', 'f', 'f']
    """

    def __init__(self, **parameters: Any) -> None:
        self._parameters: dict[str, Any] = {}
        self._output: Output = "default"
        self.set_params(**parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters that were set."""
        return dict(self._parameters)

    def set_params(self, **parameters: Any) -> "Anonymizer":
        """Set parameters of ``anonymize``.

        Raises
        ------
        TypeError
            A name that looks like that of a parameter, but is none.
        """
        for name in parameters:
            if name not in PARAMETERS and (close := nearest(name, PARAMETERS)):
                raise TypeError(f"Anonymizer has no parameter {name!r}{close}.")
        self._parameters |= parameters
        return self

    def set_output(self, *, transform: Output | None = None) -> "Anonymizer":
        """Set the library of what ``fit_transform`` returns; ``default``: as it came.

        Parameters
        ----------
        transform
            ``default``, ``pandas`` or ``polars``; None changes nothing.
        """
        if transform is not None:
            expect_choice("transform", transform, get_args(Output))
            self._output = transform
        return self

    def fit(self, X: Any, y: Any = None) -> "Anonymizer":
        """Anonymize a frame; ``release_`` is what was found.

        Parameters
        ----------
        X
            The frame.
        y
            Not used, as in every transformer without a target.
        """
        self.release_: Anonymization = anonymize(X, **self._parameters)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Return the release of a frame.

        Parameters
        ----------
        X
            The frame.
        y
            Not used.

        Raises
        ------
        ValueError
            The frame is infeasible: it has no release.
        """
        release = self.fit(X).release_
        if release.frame is None:
            raise ValueError(f"There is no release: {release.reason}.")
        if self._output == "default":
            return release.frame
        seen = eager(release.frame)
        if self._output == "pandas":
            expect_extra("pandas", "set_output")
        return seen.to_pandas() if self._output == "pandas" else seen.to_polars()

    def __repr__(self) -> str:
        told = ", ".join(
            f"{name}={value!r}" for name, value in self._parameters.items()
        )
        return f"Anonymizer({told})"
