package staff

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/work"
)

// Destroying is an act that nobody can take back, and what it is on. A mailed code is for exactly one.
type Destroying struct {
	Action string // as in the record of changes: "order.end"
	Object string // id of what it is on
	Name   string // what people call that
}

// The acts that our staff confirm with a mailed code.
const (
	EndOrder      = "order.end"
	ReplaceOrder  = "order.replace"
	StopOrder     = "order.stop"
	CancelOrder   = "order.cancel"
	CutServer     = "server.revoke"
	RemoveMachine = "pool.remove"
	WipePool      = "pool.wipe"
	WipeNetcup    = "netcup.wipe"
	SwitchOff     = "staff.off"

	PowerOff         = "machine.off"
	PowerReset       = "machine.reset"
	RescueMachine    = "machine.rescue"
	ReinstallMachine = "machine.reinstall"
	RestoreSnapshot  = "machine.restore"
	DropSnapshot     = "machine.drop"
)

// destroys are those acts, each with what a role must include for it.
var destroys = map[string]Permission{
	EndOrder: OrdersAct, ReplaceOrder: OrdersAct, StopOrder: OrdersAct, CancelOrder: OrdersAct,
	CutServer: ServersDestroy, RemoveMachine: PoolManage, WipePool: ServersDestroy, WipeNetcup: ProvidersManage, SwitchOff: StaffManage,
	PowerOff: ServersPower, PowerReset: ServersPower, RescueMachine: ServersPower,
	ReinstallMachine: ServersDestroy, RestoreSnapshot: ServersDestroy, DropSnapshot: ServersDestroy,
}

// What holds for a mailed code.
const (
	CodeLife  = 10 * time.Minute
	CodeTries = 5
	codeSigns = 8
)

// LetterCode is the letter with a code.
const LetterCode = "staff_code"

// Refusals of acts that want a code. Each names its act: see Unconfirmed.
var (
	ErrCodeNeeded = fault.New(fault.Forbidden, "code-needed", "act wants a mailed code",
		"This cannot be taken back, so it needs a code that we send to your email address. Nothing was changed. "+
			"Ask for a code, then send it along.")
	ErrCodeWrong = fault.New(fault.Forbidden, "code-wrong", "mailed code is wrong",
		"This is not the code in our email. Nothing was changed. Type the eight digits of the newest email, which is about this act.")
	ErrCodeOver = fault.New(fault.Forbidden, "code-over", "mailed code used, replaced, expired or tried too often",
		"No code for this is open: it was used, replaced, tried too often, or is older than ten minutes. Nothing was changed. "+
			"Ask for a new one.")
	errNoSuchAct = fault.New(fault.Invalid, "act", "no act that wants a code", "There is no such act that needs a code. Nothing was sent.")
)

// Unconfirmed is the refusal of an act whose code is missing or does not hold.
type Unconfirmed struct {
	Destroying
	Why error // ErrCodeNeeded, ErrCodeWrong or ErrCodeOver
}

func (u *Unconfirmed) Error() string { return fmt.Sprintf("%s of %s: %v", u.Action, u.Object, u.Why) }

// Unwrap is what people read of it.
func (u *Unconfirmed) Unwrap() error { return u.Why }

type codeKey struct{}

// WithCode has acts under ctx confirmed with a code that somebody typed.
func WithCode(ctx context.Context, typed string) context.Context {
	return context.WithValue(ctx, codeKey{}, typed)
}

// Confirmer checks the code for an act; Codes does.
type Confirmer interface {
	Confirm(ctx context.Context, by audit.Actor, d Destroying) error
}

// Confirm refuses one of our staff an act that nobody can take back unless ctx carries its code; without a Confirmer there is
// no such code. Customers and the hub itself pass, as they do at Require.
func Confirm(ctx context.Context, c Confirmer, by audit.Actor, d Destroying) error {
	switch {
	case by.Kind != audit.Staff:
		return nil
	case c == nil:
		return &Unconfirmed{d, ErrCodeNeeded}
	}
	return c.Confirm(ctx, by, d)
}

// Code is what is kept of a code that was asked for.
type Code struct {
	Destroying
	Ref       string // names the mail
	Hash      []byte // nil until the mail is written
	Tries     int    // that were refused
	AskedAt   time.Time
	ExpiresAt time.Time // zero until the mail is written
}

// CodeStore is what Codes needs; db.StaffCodes has it.
type CodeStore interface {
	// Ask keeps what a code was asked for in place of the member's former one, with its record and its mail.
	Ask(ctx context.Context, of ID, c Code, e audit.Entry, follow []work.Item) error
	// Mailed keeps the hash of the code in a mail, and gives what it is for. A mail that was replaced is not found.
	Mailed(ctx context.Context, of ID, ref string, hash func(Code) []byte, until time.Time) (Code, error)
	// Try locks the member's code and runs fn on it. One that fn calls used goes; else its tries are kept, whatever fn answers.
	// Without a code it answers ErrCodeOver.
	Try(ctx context.Context, of ID, fn func(*Code) (used bool, err error)) error
}

// Codes are the codes that our staff are mailed to confirm what nobody can take back.
type Codes struct {
	Store  CodeStore
	People *Service
	Key    []byte // of the hashes: a hundred million codes are soon tried by whoever has the database alone
	Now    func() time.Time
}

// Ask sends one of our staff a code for an act, which voids the one before.
func (c *Codes) Ask(ctx context.Context, by audit.Actor, d Destroying) error {
	needs, known := destroys[d.Action]
	if !known || by.Kind != audit.Staff {
		return errNoSuchAct
	}
	if err := Require(by, needs); err != nil {
		return err
	}
	if !c.People.Tries.Take("staff-code", by.ID) {
		return account.ErrTooMany
	}
	code := Code{Destroying: d, Ref: newToken()[:12], AskedAt: c.Now().UTC()}
	e := c.People.entry(by, "staff.code", d.Object)
	e.Details = map[string]string{"action": d.Action}
	mail := work.SendMail{Template: LetterCode, UserID: by.ID, Ref: code.Ref}
	if err := c.Store.Ask(ctx, ID(by.ID), code, e, []work.Item{mail}); err != nil {
		return fmt.Errorf("ask for a code: %w", err)
	}
	return nil
}

// Letter makes the mail with a code. The code is made here, when the mail is sent, so that no row of the queue ever holds it;
// a mail that is made again carries a new one.
func (c *Codes) Letter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	who, err := c.People.Store.Get(ctx, ID(m.UserID))
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	typed := newCode()
	kept, err := c.Store.Mailed(ctx, who.ID, m.Ref, func(k Code) []byte { return c.hash(who.ID, k.Destroying, typed) },
		c.Now().UTC().Add(CodeLife))
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	return account.Letter{
		Template: m.Template, To: who.Email, Name: who.Name, Locale: who.Locale, Token: typed, Ref: m.Ref,
		Act: account.Destroyed{Action: kept.Action, Name: kept.Name},
	}, nil
}

// Confirm checks the code that ctx carries and uses it up. It holds for one member, one act and one object, once, for ten minutes
// and five tries.
func (c *Codes) Confirm(ctx context.Context, by audit.Actor, d Destroying) error {
	typed, _ := ctx.Value(codeKey{}).(string)
	if typed == "" {
		return &Unconfirmed{d, ErrCodeNeeded}
	}
	err := c.Store.Try(ctx, ID(by.ID), func(k *Code) (bool, error) {
		switch {
		case k.Action != d.Action || k.Object != d.Object:
			return false, ErrCodeOver // its tries stay: it is for something else
		case k.Hash == nil, !c.Now().Before(k.ExpiresAt), k.Tries >= CodeTries:
			return false, ErrCodeOver
		case !hmac.Equal(k.Hash, c.hash(ID(by.ID), d, bareCode(typed))):
			k.Tries++
			if k.Tries >= CodeTries {
				return false, ErrCodeOver
			}
			return false, ErrCodeWrong
		}
		return true, nil
	})
	if f := fault.Of(err); err != nil && f.Kind == fault.Forbidden {
		return &Unconfirmed{d, err}
	}
	return err
}

// hash is what is kept of a code: bound to its member, its act and its object.
func (c *Codes) hash(of ID, d Destroying, code string) []byte {
	mac := hmac.New(sha256.New, c.Key)
	for _, part := range []string{"gatehouse-staff-code-v1", string(of), d.Action, d.Object, code} {
		sum := sha256.Sum256([]byte(part)) // all of one length: no two lists of parts read alike
		mac.Write([]byte(hex.EncodeToString(sum[:])))
	}
	return mac.Sum(nil)
}

// newCode draws eight digits evenly.
func newCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(100_000_000))
	if err != nil {
		panic("crypto/rand: " + err.Error()) // never fails: it ends the program instead
	}
	return fmt.Sprintf("%0*d", codeSigns, n)
}

// bareCode is a code without the signs that people put between its digits.
func bareCode(typed string) string {
	return strings.NewReplacer(" ", "", "-", "", "\u00a0", "").Replace(strings.TrimSpace(typed))
}
