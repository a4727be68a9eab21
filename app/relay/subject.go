package relay

import "strings"

// Last words of the subjects of one server.
const (
	wordAsk   = "ask"   // a request for the server; answered by the hub that holds its link
	wordHere  = "here"  // answered by the hub that holds the link
	wordNudge = "nudge" // frames wait in the outbox
	wordFence = "fence" // a connection opened; older ones give way
)

func serverSubject(serverID, word string) string { return "server." + serverID + "." + word }

// Subjects of what is told of one customer. Events of runs are many, and most readers want those of one run or none: they
// travel apart, so that nobody is handed what he does not read.
func newsSubject(customerID string) string { return "customer." + customerID + ".news" }

func runSubject(customerID, runID string) string { return "customer." + customerID + ".run." + runID }
func allSubject(customerID string) string        { return "customer." + customerID + ".>" }

// plain says whether id may stand in a subject: no separators, no wildcards.
func plain(id string) bool {
	return id != "" && len(id) <= 64 && !strings.ContainsAny(id, ".*> \t\r\n")
}
