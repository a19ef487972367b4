-- Judge an amount of 0. Spliced into decide.lua. Reads and writes no state, so that usage is still there when it is raised.
x, y, z, u, wait = now, 0, 0, 0, -1
