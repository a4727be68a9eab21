package machine

import (
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/server"
	"gatehouse/app/staff"
)

// Verb is something that is done with a machine at its provider.
type Verb string

// The verbs. They stand in rows: never rename.
const (
	On        Verb = "power.on"
	Off       Verb = "power.off"
	Reset     Verb = "power.reset"
	RescueOn  Verb = "rescue.on"
	RescueOff Verb = "rescue.off"
	Reinstall Verb = "reinstall"
	Take      Verb = "snapshot.take"
	Drop      Verb = "snapshot.drop"
	Restore   Verb = "snapshot.restore"
)

// rule is what holds for a verb.
type rule struct {
	needs    staff.Permission
	confirms string        // the act of a mailed code; empty: none is asked for
	letter   string        // the mail that the owners get at once; empty: none
	enters   bool          // wants the owner's support window, as long as the server can be asked for one
	within   time.Duration // after which nobody waits for its end any more
}

// The letters to owners.
const (
	LetterRescue    = "machine_rescue"
	LetterReinstall = "machine_reinstall"
	LetterRestore   = "machine_restore"
)

// Letters says whether a template is one of them, or the one to our staff.
func Letters(template string) bool {
	return template == LetterRescue || template == LetterReinstall || template == LetterRestore || template == LetterLate
}

const (
	briefly = 5 * time.Minute // a machine that hangs does not end by itself: then it is reset
	soon    = 30 * time.Minute
	slowly  = 3 * time.Hour // a disk is copied
)

// rules of all verbs. Who can start a rescue system or restore an old disk is root on the machine: the owner lets them, and is told
// at once.
var rules = map[Verb]rule{
	On:        {needs: staff.ServersPower, within: soon},
	Off:       {needs: staff.ServersPower, confirms: staff.PowerOff, within: briefly},
	Reset:     {needs: staff.ServersPower, confirms: staff.PowerReset, within: soon},
	RescueOn:  {needs: staff.ServersPower, confirms: staff.RescueMachine, letter: LetterRescue, enters: true, within: soon},
	RescueOff: {needs: staff.ServersPower, within: soon},
	Reinstall: {needs: staff.ServersDestroy, confirms: staff.ReinstallMachine, letter: LetterReinstall, within: slowly},
	Take:      {needs: staff.ServersPower, within: slowly},
	Drop:      {needs: staff.ServersDestroy, confirms: staff.DropSnapshot, within: soon},
	Restore:   {needs: staff.ServersDestroy, confirms: staff.RestoreSnapshot, letter: LetterRestore, enters: true, within: slowly},
}

// Verbs lists them all.
func Verbs() []Verb {
	return []Verb{On, Off, Reset, RescueOn, RescueOff, Reinstall, Take, Drop, Restore}
}

// ActState is how an act stands.
type ActState string

// The states of an act. Only the first two have not ended.
const (
	Asked    ActState = "asked"
	Underway ActState = "underway" // the provider has begun it
	Done     ActState = "done"
	Failed   ActState = "failed"
	Unknown  ActState = "unknown" // no answer came in time, so it may have been done or not
)

// Act is something that is done with a machine, or was.
type Act struct {
	ID       string
	ServerID server.ID
	Verb     Verb
	Key      string // RescueOn: the SSH key that is let in
	Name     string // Take: what the snapshot is called; Drop, Restore: what it was called
	Snapshot string // Drop, Restore: the provider's own name of it
	By       string // e-mail address, or the hub's name
	State    ActState
	Marked   bool   // Mark was taken
	Mark     string // where the provider's record stood before the first try
	Task     string // what the provider calls what it began
	Said     string // what became of it, in words for people
	At       time.Time
	EndedAt  time.Time // zero until then
}

// Copy is a snapshot as the hub keeps it.
type Copy struct {
	ID       string // UUIDv7, given by the hub
	ServerID server.ID
	Snapshot
}

// Daily says whether the hub made it by itself, as it does each day.
func (s Snapshot) Daily() bool {
	return len(s.Name) > len(dailyPrefix) && s.Name[:len(dailyPrefix)] == dailyPrefix
}

// dailyPrefix begins the names of those that are made each day.
const dailyPrefix = "gatehouse-daily-"

// handPrefix begins the names of those that somebody asked for.
const handPrefix = "gatehouse-hand-"

// Seen is what is known of a machine since it was looked at last.
type Seen struct {
	State
	Measures []Measure
	At       time.Time // zero: never
	Problem  string    // why the last look failed, in words for people; empty: it did not
}

// Refusals.
var (
	ErrCannot = fault.New(fault.Conflict, "machine-cannot", "provider cannot do this with machines",
		"The provider of this server cannot do this. Nothing was changed. Use the provider's own console.")
	ErrBusy = fault.New(fault.Conflict, "machine-busy", "another act is under way at this machine",
		"Something else is being done with this machine right now. Nothing more was started. Wait until it has ended, then try again.")
	ErrKeySince = fault.New(fault.Conflict, "snapshot-key", "link key is newer than the snapshot",
		"The key of this server's link is newer than this snapshot, so the hub would not know the server again. Nothing was changed. "+
			"Choose a newer snapshot, or replace the server at its order.")
	ErrNoConsent = fault.New(fault.Conflict, "snapshots-consent", "owner has not agreed to snapshots",
		"The owner has not agreed to snapshots of this server. None was made. The owner can agree on the Server page.")
	ErrWindow = fault.New(fault.Forbidden, "machine-window", "owner has opened no support window for the machine",
		"The owner has not let you at this machine. Nothing was changed. Ask for a support window with the whole machine in it. "+
			"Only when the server has been silent for five minutes can you do this without one.")
	ErrStruck = fault.New(fault.Forbidden, "machine-struck", "the server answered until the hub stopped its machine",
		"This server answered until its machine was stopped or restarted from here, so its owner decides. Nothing was changed. "+
			"Ask for a support window, or switch the machine on: if the server stays silent for 15 minutes after that, "+
			"you can do this without one.")
	// ErrCut refuses what ErrWindow does for a server that our staff cut off while it answered: no window can be asked for there.
	ErrCut = fault.New(fault.Forbidden, "machine-cut", "the server answered until it was cut off",
		"This server answered until it was cut off from here, so nobody gets onto its disk without its owner. Nothing was changed. "+
			"Reinstall the machine, or replace the server.")
	ErrKey = fault.New(fault.Invalid, "rescue-key", "no SSH key for the rescue system",
		"Give the public SSH key that the rescue system lets in, as one line that begins with ssh-ed25519 or ssh-rsa. Nothing was changed.")
	ErrNoSnapshot = fault.New(fault.NotFound, "no-snapshot", "no such snapshot", "There is no such snapshot of this server.")
	ErrVerb       = fault.New(fault.Invalid, "verb", "unknown act", "There is no such action. Nothing was changed.")
)

// destroying is the act that a mailed code is for: one machine, or one snapshot.
func (a Act) destroying(slug, copyID string) staff.Destroying {
	d := staff.Destroying{Action: rules[a.Verb].confirms, Object: string(a.ServerID), Name: slug}
	if copyID != "" {
		d.Object, d.Name = copyID, slug+" · "+a.Name
	}
	return d
}

// byHub is the hub as who made a snapshot.
const byHub = "gatehouse"

func nameOf(by audit.Actor) string {
	if by.Kind == audit.System {
		return byHub
	}
	return by.Name
}
