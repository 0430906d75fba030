"""Hierarchies from people's answers: what ``hcbench ask`` does besides showing it.

`items` are read from a file, `questions` says how each kind is put and what an answer means. A
`session` runs the algorithm that asks; `answers_file` keeps what is said at once, `recorded` reads
it again. In the end `contradictions` are looked for, and `findings` are written. As oracles the
recorded answers serve too, and a `person` at the terminal.
"""
