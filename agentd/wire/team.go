package wire

import "time"

// The methods about which agents there are, since version 6. Params → result.
const (
	MethodTeamLibrary Method = "team.library" // none → TeamLibrary
	MethodTeamMember  Method = "team.member"  // TeamMemberParams → TeamMember
	MethodTeamHistory Method = "team.history" // TeamHistoryParams → TeamHistory
	MethodTeamChange  Method = "team.change"  // TeamChange → TeamDone
)

// TeamLibrary is what a team can be made of: the templates that the server has, and the agents that were put away.
type TeamLibrary struct {
	Items    []TeamTemplate `json:"items"`
	Archived []TeamTemplate `json:"archived"` // the owner's own agents that were put away; templates say it of themselves
	Profiles []TeamProfile  `json:"profiles"` // the tool sets that an agent can have
}

// TeamProfile is a tool set that an agent can have.
type TeamProfile struct {
	Name  string   `json:"name"`
	Tools []string `json:"tools"` // those that the server has
}

// TeamAbout is what an agent is to people, and which tools it has: those of its profile without some.
type TeamAbout struct {
	Name        string   `json:"name"`
	Role        string   `json:"role"`
	Emoji       string   `json:"emoji"`
	Description string   `json:"description"`
	Starters    []string `json:"starters"`
	Profile     string   `json:"profile"`
	Without     []string `json:"without"`
}

// TeamState says where an agent stands.
type TeamState string

// Where agents stand.
const (
	TeamWaiting  TeamState = "waiting"  // in the library alone
	TeamAtWork   TeamState = "at_work"  // in the team
	TeamArchived TeamState = "archived" // put away with its files
	TeamTaken    TeamState = "taken"    // an agent of the owner's own has this id
)

// TeamTemplate is one agent that there can be.
type TeamTemplate struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Role        string     `json:"role"`
	Emoji       string     `json:"emoji"`
	Description string     `json:"description"`
	Category    string     `json:"category"`
	Starters    []string   `json:"starters"`
	Needs       []TeamNeed `json:"needs"` // the tools that its work stands on
	State       TeamState  `json:"state"`
	Seen        string     `json:"seen"`             // names what is shown here, for TeamAct.Seen
	Update      bool       `json:"update"`           // the template changed where the owner has edited: TeamMember.Updates
	Broken      string     `json:"broken,omitempty"` // why it cannot work as its files stand
}

// TeamNeed is a tool that an agent's work stands on.
type TeamNeed struct {
	Tool    string `json:"tool"`
	For     string `json:"for"`               // what for: words that follow "to"
	Missing string `json:"missing,omitempty"` // why this server lacks it; empty: it is there
}

// TeamMemberParams names an agent of the team.
type TeamMemberParams struct {
	Agent string `json:"agent"`
}

// TeamMember is an agent with its files.
type TeamMember struct {
	ID       string       `json:"id"`
	Template bool         `json:"template"` // it comes from the library
	Broken   string       `json:"broken,omitempty"`
	About    *TeamAbout   `json:"about,omitempty"` // what its description says; none when it cannot be read
	Seen     string       `json:"seen"`            // names what is shown here, for TeamAct.Seen
	Files    []TeamFile   `json:"files"`
	Updates  []TeamUpdate `json:"updates"` // files that the owner has edited and whose template has changed
}

// TeamFile is one file of an agent.
type TeamFile struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Edited bool   `json:"edited"` // it is not as its template has it
}

// TeamUpdate is a file that the owner has edited and whose template says something else now.
type TeamUpdate struct {
	Name      string `json:"name"`
	Yours     string `json:"yours"`
	Shipped   string `json:"shipped"`
	Merged    string `json:"merged"`    // both together; where both changed the same lines, both stand there between marks
	Conflicts int    `json:"conflicts"` // such places
}

// TeamDescriptor is the file of an agent that its About stands in.
const TeamDescriptor = "template.yaml"

// TeamHistoryParams asks how a file of an agent has changed.
type TeamHistoryParams struct {
	Agent   string `json:"agent"`
	File    string `json:"file"`
	Version int64  `json:"version"` // gives this one's text; 0: none
}

// TeamHistory is the versions of a file that are kept, the newest first, and the text of the one that was asked for.
type TeamHistory struct {
	Items []TeamVersion `json:"items"`
	Text  string        `json:"text"`
	About *TeamAbout    `json:"about,omitempty"` // of TeamDescriptor, what that text says
}

// TeamVersion is a text that a file of an agent had.
type TeamVersion struct {
	Version int64     `json:"version"`
	At      time.Time `json:"at"`
	By      string    `json:"by"` // who signed; empty: it was found there, or came with the template
	Do      TeamDo    `json:"do"` // what it was part of; empty: it was found there
	Now     bool      `json:"now"`
}

// ChangeTeam is a change of which agents there are, or of what they are; body: TeamAct.
const ChangeTeam ChangeKind = "team"

// TeamDo is what the owner does with an agent. All of it is signed.
type TeamDo string

// What the owner does with agents.
const (
	TeamDoInstall TeamDo = "install" // out of the library into the team
	TeamDoArchive TeamDo = "archive" // put away, with its files
	TeamDoRestore TeamDo = "restore" // back into the team
	TeamDoUpdate  TeamDo = "update"  // File becomes Text, and counts as up to date with its template
	TeamDoCreate  TeamDo = "create"  // a new agent of the owner's own with About, from nothing or with the files of From
	TeamDoWrite   TeamDo = "write"   // File becomes Text, or the description About
)

// TeamAct is what is signed: everything that decides what happens.
type TeamAct struct {
	ID    string `json:"id"` // UUIDv7: names the act, which happens once
	Do    TeamDo `json:"do"`
	Agent string `json:"agent"`
	Seen  string `json:"seen"` // what the person saw, of From when it is copied: anything else is refused
	File  string `json:"file"` // update and write
	Text  string `json:"text"` // update and write

	From  string     `json:"from,omitempty"`  // create: whom it is a copy of; empty: nobody
	About *TeamAbout `json:"about,omitempty"` // create, and write of TeamDescriptor
}

// TeamChange asks for an act.
type TeamChange struct {
	Act       TeamAct    `json:"act"`
	Signature *Signature `json:"signature"`
	By        DecidedBy  `json:"by"`
}

// TeamDone is what is so after an act.
type TeamDone struct {
	Agent string    `json:"agent"`
	State TeamState `json:"state"`
	At    time.Time `json:"at"`
}
