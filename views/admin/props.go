package admin

import (
	"time"

	"gatehouse/views/chart"
	"gatehouse/views/dns"
	"gatehouse/views/ui"
)

// Home is what stands on the first page.
type Home struct {
	Needs     []Need  // what waits for a person, and the reader may see; none: all is well
	Failed    []Order // the newest that stopped
	Underway  []Order // the newest in progress
	Customers int
	Servers   int
	Pending   int // approvals that wait, all customers
}

// Need is one kind of thing that waits for a person.
type Need struct {
	Name  string // failed, late, manual, offline, held, degraded, empty, hands, dead, retried, expiring, ran_out
	Count int
}

// Customer is a business in a list.
type Customer struct {
	ID, Name, TimeZone string
	Address, Language  string // may be empty
	Owner, Invited     string // e-mail addresses; empty: nobody has joined, nobody is invited
	Since              time.Time
}

// Order is an order in a list and at the top of its page.
type Order struct {
	ID           string
	Number       int64
	Customer     string // id
	CustomerName string // may be empty
	Plan         string
	Price        int64  // cents a month
	State        string // as in the database
	Step         string // the state that is worked on or failed
	Mode         string
	Reason       string
	Server       string // id; empty until there is one
	Slug         string // what the server is called
	Region       string // eu, na
	Business     string // what kind it is, as chosen at checkout; may be empty
	Created      time.Time
	Updated      time.Time
}

// OrderPage is one order with its history.
type OrderPage struct {
	Order
	Stages   []ui.Stage
	Lines    []ui.LogLine
	Provider string // where its server is set up; empty while none is reserved
	Steps    []SetupStep
	Name     *dns.Props // of its server; nil where names need no records
	Acts     []Act      // what can be done with it now
	LookOnly bool       // who looks may do nothing of that
	Live     bool       // the log is followed as it grows
	Search   string
	Older    int64 // number of the first line, when there are lines before it; else 0

	ServerID string // of the server that is reserved; empty: none
	Team     string // whether its agents are known: TeamNone, TeamAway, TeamKnown
	Agents   []OrderAgent

	Late      bool   // it takes longer than was promised
	EndReason string // why it ended; empty while it has not
	ReleaseAt time.Time
	Standing  string // next, former; empty: the one that counts
	Replaces  string // id of the order that it replaces; may be empty
}

// SetupStep is one step of setting a machine up.
type SetupStep struct {
	Name  string // as in the database
	State string // running, done, kept, failed, cut off
	Note  string // why it failed
	Took  time.Duration
}

// Act is one thing that may be done with an order now.
type Act struct {
	Name    string    // as in order.Acts
	Kind    string    // "", primary, danger
	Confirm bool      // asks before it does
	Field   *ui.Field // what goes with it; nil: nothing
}

// Server is a server in a list and at the top of its page.
type Server struct {
	ID, Slug, Provider     string
	Customer, CustomerName string
	State, Version, Model  string
	Seen                   time.Time
	Beat                   *Beat // nil before the first heartbeat
	Keys                   bool  // the reader may ask for a key here
	Charts                 chart.Props
	Support                bool // the reader may ask for a support window
	Looking                bool // one is open for them

	Machine AtProvider

	Commands   bool // the reader may command agentd, and renew the key of the link
	Destroys   bool // the reader may cut the server off
	KeyID      string
	KeySince   time.Time
	Sent       []Command
	Containers []Container
	Listed     time.Time // when the containers were listed; zero: never
}

// Command is something that one of the staff had agentd do.
type Command struct {
	ID, Verb, Container, By string
	State, Said             string
	At, Ended               time.Time
}

// Container is a container of a server: its name and how it is.
type Container struct{ ID, Name, Image, State string }

// ServerMap says how many servers are in each state.
type ServerMap struct {
	Chosen string // the state that the list is narrowed to; empty: all
	States []StateCount
}

// StateCount is how many servers are in a state.
type StateCount struct {
	State string
	N     int
}

// Beat is what the last heartbeat said.
type Beat struct {
	Load                string
	MemUsed, MemTotal   int64
	DiskUsed, DiskTotal int64
	Uptime              time.Duration
	Runs, Pending       int
	Config              int64
	Protection          []string
	ShellOff            string
	Engine              bool // agentd can ask a container engine
}

// Keys are the approver keys of one of the staff: on all servers, or on one, where they may ask for another.
type Keys struct {
	Server  string // id; empty: on all
	Name    string // of the server and its owner
	Allows  bool   // the reader's role lets them ask
	Counts  []Key
	Waiting []Key
	Over    []Key
}

// Key is one of them.
type Key struct {
	ID, Server      string
	Customer, Slug  string
	Words           string    // what is read to the owner
	Fingerprint     string    // the same for programs
	Standing        string    // asked, enrolled, refused, revoked, ran_out
	At, Since, Used time.Time // asked, added, used last
}

// Audit is one page of the record of changes, with what narrows it.
type Audit struct {
	List[AuditLine]
	By, Action, Customer, From, To string
	Actions                        []string // that there are records of
	Most                           int      // records in one export
}

// AuditLine is one record.
type AuditLine struct {
	ID, Action             string
	At                     time.Time
	Kind                   string     // user, staff, system
	By, ByID, Role, From   string     // the address in the network
	Face                   *ui.Person // of our staff; nil: of nobody with one
	Customer, CustomerName string
	Target                 string
	About, AboutName       string // kind and name of the target, if it is something with a name
	Details                []ui.Pair
	Decision               string // approvals only
}

// List is one page of a list.
type List[T any] struct {
	Items  []T
	Search string // what was looked for
	State  string // orders only: the filter
	Next   string // address of the next page; empty at the end
	First  string // address of the first page; empty on it
}
