package counter

import "gatehouse/agentd/wire"

// Who is who.
func Who(by wire.DecidedBy) string { return who(by) }
