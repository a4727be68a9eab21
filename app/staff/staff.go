package staff

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/second"
	"gatehouse/app/work"
)

// ID names one of us.
type ID string

// Role is what one of us may do, as the table of permissions says.
type Role string

// The roles, the mightiest first.
const (
	Owner   Role = "OWNER"
	Admin   Role = "ADMIN"
	Manager Role = "MANAGER"
	Support Role = "SUPPORT"
)

// Roles lists the roles.
func Roles() []Role { return []Role{Owner, Admin, Manager, Support} }

// Member is one of us.
type Member struct {
	ID        ID
	Email     string
	Name      string
	Role      Role
	Locale    string // language of pages and mails; empty until one was chosen
	CreatedAt time.Time
	SecondAt  time.Time // zero: the second step was reset and waits to be set up again
	SeenAt    time.Time // zero: never; exact to a minute
	OffAt     time.Time // zero while the account works
	Photo     string    // name of the file of their photo; empty: none
}

// Works says whether the member can sign in.
func (m Member) Works() bool { return m.OffAt.IsZero() && !m.SecondAt.IsZero() }

// ErrTaken says that an address is in use.
var ErrTaken = fault.New(fault.Conflict, "email-taken", "staff address is taken", "Someone on the staff already has this address.")

// Case is a member at the moment of a change, locked until the change is stored, with all that it is judged by.
type Case struct {
	Member               // may be changed
	By     Member        // who acts; nobody where the hub itself does
	Owners int           // how many owners can sign in
	Hash   string        // of the password
	Factor second.Factor // of the second step
	Next   string        // secret of one that waits for its first code; empty: none
	Backup []string      // hashes of the backup codes that are left

	Link     []byte      // hash of a mailed link that the change uses up; nil: none
	Unlink   bool        // the member's mailed links end
	Uninvite bool        // the invitations that the member sent and nobody answered end
	Entry    audit.Entry // the record of the change; without an id it leaves none
	Work     []work.Item // what follows
}

// Store is what Service needs; db.Staff has it. It keeps the secret of the second factor encrypted.
type Store interface {
	// Create adds a member with its secrets and records who did it. A taken address is ErrTaken.
	Create(ctx context.Context, m Member, passwordHash string, factor second.Factor, e audit.Entry) error
	// ByEmail finds a working member by the folded address, with the hash of the password.
	ByEmail(ctx context.Context, folded string) (Member, string, error)
	// Get finds a working member.
	Get(ctx context.Context, id ID) (Member, error)
	// Find finds a member, also one who was switched off.
	Find(ctx context.Context, id ID) (Member, error)
	// List gives all members, oldest first.
	List(ctx context.Context) ([]Member, error)
	// Second locks the second factor of a working member, runs fn on it and saves it, whatever fn found out.
	Second(ctx context.Context, id ID, fn func(*second.Factor)) (Member, error)
	// Peek reads a member as Change would, and locks nothing.
	Peek(ctx context.Context, id ID) (Case, error)
	// Change locks a member, who acts (empty: the hub) and the owners, lets fn change the case, and stores it with its
	// record and its work: all or nothing. A link that does not work any more is ErrLink, the last owner ErrLastOwner.
	Change(ctx context.Context, id, by ID, fn func(*Case) error) (Member, error)
	// EndSignins ends the member's sign-ins and records it.
	EndSignins(ctx context.Context, id ID, e audit.Entry) error
	// AddLink keeps a link that was mailed to a working member who has no second step.
	AddLink(ctx context.Context, id ID, hash []byte, now, until time.Time) error
	// Linked finds the member of a mailed link that works.
	Linked(ctx context.Context, hash []byte, now time.Time) (ID, error)
	Invitations
}

// Service is what the admin console and the command line do with staff.
type Service struct {
	Store  Store
	Hasher *account.Hasher
	Tries  *account.Tries
	Codes  Confirmer // checks the codes with which our staff confirm what nobody can take back; Codes does
	Photos Files     // keeps photos
	Now    func() time.Time
}
