"""From "the machine has an address" to "runs are measured there".

known       which key a machine must show, in the rental's own folder
reach       waiting until SSH lets us in, and what kind of machine it is
wheel       the program that runs here, as a wheel again      wheelhouse   what it needs, for the machine's Python
install     both copied there and installed, without a network
devices     which device of the kernel is which volume        layouts      arrays and file systems on them
ready       all of it in order, and the machines of a session at its end

`devices` and `layouts` are carried out on the machines, once Plimsoll is there.
"""
