"use strict";
// Tables read well without this; with it they sort by a click and filter by words.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const numeric = header.classList.contains("number");
      const up = header.getAttribute("aria-sort") !== "ascending";
      headers.forEach((other) => other.removeAttribute("aria-sort"));
      header.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => {
        const cell = row.cells[column];
        if (!numeric) return cell.textContent.trim();
        return cell.dataset.key === undefined ? null : Number(cell.dataset.key);
      };
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        if (x === null || y === null) return (x === null) - (y === null);
        const order = numeric ? x - y : x.localeCompare(y, "en", { numeric: true });
        return up ? order : -order;
      };
      body.append(...[...body.rows].sort(compare));
    });
  });
}
for (const field of document.querySelectorAll(".filter")) {
  const input = field.querySelector("input");
  const shown = field.querySelector("output");
  const rows = [...document.getElementById(input.dataset.table).tBodies[0].rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  field.hidden = false;
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    rows.forEach((row, i) => {
      row.hidden = !words.every((word) => texts[i].includes(word));
      count += !row.hidden;
    });
    shown.textContent = `${count} of ${rows.length}`;
  };
  input.addEventListener("input", apply);
  apply();
}
const wide = new ResizeObserver((seen) => {
  for (const { target } of seen) {
    target.previousElementSibling.hidden = target.scrollWidth <= target.clientWidth;
  }
});
for (const part of document.querySelectorAll(".scroll")) wide.observe(part);
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});
