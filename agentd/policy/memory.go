package policy

// Kinds of notes that memory_write makes.
const (
	NoteOfDay  = "day"  // in the file of the day of the agent that writes
	NoteFact   = "fact" // in the agent's lasting file
	NoteOfTeam = "team" // in the lasting file that all agents read
)

// MemorySearch classifies a look into what the agent and the team remember: it changes nothing and shows no other agent's notes.
func MemorySearch(a MemorySearchArgs) Class {
	return Class{Tier: Green, Action: "memory.note.search", Says: "Look in memory for: " + visible(a.Query)}
}

// MemoryGet classifies reading one note.
func MemoryGet(a MemoryGetArgs) Class {
	return Class{Tier: Green, Action: "memory.note.read", Says: "Read the note " + visible(a.ID)}
}

// MemoryWrite classifies remembering something: every later conversation may read it, so a person is asked once the run has read
// content from outside.
func MemoryWrite(a MemoryWriteArgs) Class {
	const action = "memory.note.write"
	switch a.Kind {
	case NoteOfDay, NoteFact:
		return Class{Tier: Yellow, Action: action, Says: "Remember: " + visible(a.Text)}
	case NoteOfTeam:
		return Class{Tier: Yellow, Action: action, Says: "Remember for the whole team: " + visible(a.Text)}
	}
	return Refuse(action, "That is no kind of note: use day, fact or team.")
}
