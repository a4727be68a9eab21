package policy

// TeamReport classifies reading what the team did: the records stay on the server.
func TeamReport() Class {
	return Class{Tier: Green, Action: "team.report.read", Says: "Read what the team did"}
}
