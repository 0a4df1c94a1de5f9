"""What is hidden beyond what is asked, against who knows how releases are made.

Read ``defences`` first. None of them is proof against attacks; ``starmin audit`` says
what each of them is worth.
"""
