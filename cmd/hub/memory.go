package main

import "runtime/debug"

// roomToGrow is how much the heap may grow, in percent of what is alive, before it is swept. Pages are made of short-lived
// pieces: at Go's default of 100 a busy hub spends a tenth of its time sweeping, for memory that it has to spare.
const roomToGrow = 200

// spareSweeping takes roomToGrow unless the operator chose by GOGC.
func spareSweeping(env map[string]string) {
	if env["GOGC"] == "" {
		debug.SetGCPercent(roomToGrow)
	}
}
