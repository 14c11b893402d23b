// Package drive runs agents: a home, a working directory and a model of their own for
// each scenario, programs and terminals, and our own programs beside them. A driver for
// one agent is a package below this one.
package drive
