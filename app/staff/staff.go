package staff

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
)

// ID names one of us.
type ID string

// Role is what one of us may do.
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

// ChangesOrders says whether a role may do more with orders than look at them.
func (r Role) ChangesOrders() bool { return r == Owner || r == Admin || r == Manager }

// Allows says whether a role may allow for a customer, with a key that the customer's owner has added. Each may deny.
func (r Role) Allows() bool { return r == Owner || r == Admin || r == Manager }

// Member is one of us.
type Member struct {
	ID        ID
	Email     string
	Name      string
	Role      Role
	CreatedAt time.Time
	OffAt     time.Time // zero while the account works
}

// Refusals. A wrong code and one that was used already read the same.
var (
	ErrCode    = fault.New(fault.Unauthorized, "wrong-code", "wrong or used one-time code", "This code does not fit. Wait for the next one in your app, then type it.")
	ErrCodeOut = fault.New(fault.TooMany, "code-tries", "too many one-time codes", "Five codes did not fit. Wait a quarter of an hour, then sign in again.")
	ErrTaken   = fault.New(fault.Conflict, "email-taken", "staff address is taken", "Somebody on the staff has this address already.")
)

// Store is what Service needs; db.Staff has it. It keeps the secret of the second factor encrypted.
type Store interface {
	// Create adds a member with its secrets and records who did it. A taken address is ErrTaken.
	Create(ctx context.Context, m Member, passwordHash string, second SecondFactor, e audit.Entry) error
	// ByEmail finds a working member by the folded address, with the hash of the password.
	ByEmail(ctx context.Context, folded string) (Member, string, error)
	// Get finds a working member.
	Get(ctx context.Context, id ID) (Member, error)
	// List gives all members, oldest first.
	List(ctx context.Context) ([]Member, error)
	// Second locks the second factor of a working member, runs fn on it and saves it, whatever fn found out.
	Second(ctx context.Context, id ID, fn func(*SecondFactor)) (Member, error)
}

// Service is what the admin console and the command line do with staff.
type Service struct {
	Store  Store
	Hasher *account.Hasher
	Tries  *account.Tries
	Now    func() time.Time
}
