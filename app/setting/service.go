package setting

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
)

// Values are values by setting.
type Values map[Key]string

func (v Values) number(k Key) int {
	n, _ := strconv.Atoi(v[k]) // they were parsed before
	return n
}

// Store is what Service needs; db.Settings has it.
type Store interface {
	// Values gives the values that are not as they come, secret ones opened. One that does not open is left out, and named in the error
	// that comes beside the others.
	Values(ctx context.Context) (Values, error)
	// Set keeps a change and records it: both or neither. Two changes come one after the other: fit is given the values that are kept
	// then, and how to find what this one was kept as before its last change, and fills in what the change and its record say of it.
	Set(ctx context.Context, c *Change, e *audit.Entry, fit func(kept Values, before Before) error) error
	// History lists the newest changes of a setting, the newest first; without a setting, so many of each.
	History(ctx context.Context, k Key, limit int) ([]Change, error)
}

// Before finds what a setting was kept as before its last change; false: as it comes.
type Before func() (value string, kept bool, err error)

// fresh is how long values are used without another look: all processes of the hub agree within that time.
const fresh = 2 * time.Second

// lookLimit is how long a look may hold up whoever reads a value.
const lookLimit = time.Second

// Service is the settings as they are in force.
type Service struct {
	Store  Store
	Env    Values // defaults that the environment of this process gives
	Now    func() time.Time
	Log    *slog.Logger
	Follow func(Values) // is told the values in force after each look; nil: nobody wants to know

	looking sync.Mutex
	seen    atomic.Pointer[look]
}

// look is what was found at a time.
type look struct {
	at     time.Time
	values Values // in force, of all settings
}

// Refusals.
var (
	ErrUnknown = fault.New(fault.NotFound, "no-setting", "no such setting", "There is no such setting. Nothing was changed.")
	ErrSame    = fault.New(fault.Conflict, "setting-same", "the setting has that value",
		"The setting has this value already. Nothing was changed.")
	ErrNoUndo = fault.New(fault.Conflict, "setting-no-undo", "the setting was never changed",
		"This setting was never changed, so there is nothing to undo.")
)

// Span gives a setting of a unit of time as it is in force whenever it is asked.
func (s *Service) Span(k Key) func() time.Duration {
	unit := byKey[k].Unit.length()
	return func() time.Duration { return time.Duration(s.now().number(k)) * unit }
}

// Minutes is a setting of time as it is in force now.
func (s *Service) Minutes(k Key) time.Duration { return s.Span(k)() }

// Count gives a number as it is in force whenever it is asked.
func (s *Service) Count(k Key) func() int { return func() int { return s.now().number(k) } }

// On says whenever it is asked whether a switch is on.
func (s *Service) On(k Key) func() bool { return func() bool { return s.now()[k] == On } }

// Text gives a text, a choice or a secret as it is in force whenever it is asked.
func (s *Service) Text(k Key) func() string { return func() string { return s.now()[k] } }

// now are the values in force. What cannot be read now stays as it was read last, and as it comes before that. One reader looks, the
// others go on with what was found last.
func (s *Service) now() Values {
	last := s.seen.Load()
	if last != nil && s.Now().Sub(last.at) < fresh {
		return last.values
	}
	if last == nil {
		s.looking.Lock()
	} else if !s.looking.TryLock() {
		return last.values
	}
	defer s.looking.Unlock()
	if again := s.seen.Load(); again != nil && again != last {
		return again.values // somebody else has looked meanwhile
	}
	return s.look(last)
}

func (s *Service) look(last *look) Values {
	ctx, cancel := context.WithTimeout(context.Background(), lookLimit)
	defer cancel()
	kept, err := s.Store.Values(ctx)
	if err != nil {
		s.Log.Warn("settings could not be read", "error", err)
	}
	next := &look{at: s.Now()}
	if kept == nil && last != nil {
		next.values = last.values
	} else {
		next.values = s.inForce(kept)
	}
	s.seen.Store(next)
	if s.Follow != nil {
		s.Follow(next.values)
	}
	return next.values
}

// inForce are all values by what is kept; one that this program does not take is as it comes.
func (s *Service) inForce(kept Values) Values {
	all := make(Values, len(specs))
	for _, spec := range specs {
		all[spec.Key] = s.usual(spec)
		value, found := kept[spec.Key]
		if !found {
			continue
		}
		if v, problem := spec.parse(value); problem == "" {
			all[spec.Key] = v
		}
	}
	return all
}

// usual is a setting as it comes: as the environment says, or else by the table.
func (s *Service) usual(spec Spec) string {
	if v, said := s.Env[spec.Key]; said {
		return v
	}
	return spec.Default
}

// Now is a setting with its value and its newest changes. Of a secret one no value is told, only whether it is set.
type Now struct {
	Spec
	Value   string
	Usual   string // as it comes
	FromEnv bool   // the environment says how it comes
	Changed bool   // it is not as it comes
	Set     bool   // it is not empty
	History []Change
}

// historyShown is how many changes of each setting a list has.
const historyShown = 5

// maxHistory is how many changes of one setting are told at most.
const maxHistory = 100

// List gives all settings as they are now.
func (s *Service) List(ctx context.Context) ([]Now, error) {
	kept, err := s.Store.Values(ctx)
	if kept == nil {
		return nil, err
	}
	changes, err := s.Store.History(ctx, "", historyShown)
	if err != nil {
		return nil, err
	}
	of := map[Key][]Change{}
	for _, c := range changes {
		of[c.Key] = append(of[c.Key], c)
	}
	values := s.inForce(kept)
	all := make([]Now, 0, len(specs))
	for _, spec := range specs {
		all = append(all, s.tell(spec, values, kept, of[spec.Key]))
	}
	return all, nil
}

func (s *Service) tell(spec Spec, values, kept Values, history []Change) Now {
	_, changed := kept[spec.Key]
	_, env := s.Env[spec.Key]
	n := Now{
		Spec: spec, Value: values[spec.Key], Usual: s.usual(spec), FromEnv: env, Changed: changed, Set: values[spec.Key] != "",
		History: history,
	}
	if spec.IsSecret() {
		n.Value, n.Usual = "", ""
	}
	return n
}

// One gives a setting with its history.
func (s *Service) One(ctx context.Context, k Key) (Now, error) {
	spec, known := Find(k)
	if !known {
		return Now{}, ErrUnknown
	}
	kept, err := s.Store.Values(ctx)
	if kept == nil {
		return Now{}, err
	}
	history, err := s.Store.History(ctx, k, maxHistory)
	if err != nil {
		return Now{}, err
	}
	return s.tell(spec, s.inForce(kept), kept, history), nil
}

const maxReason = 200 // characters

// Set gives a setting another value. It is in force here at once, and within seconds everywhere.
func (s *Service) Set(ctx context.Context, k Key, value, reason string, by audit.Actor) error {
	spec, known := Find(k)
	if !known {
		return ErrUnknown
	}
	value, err := spec.Parse(value)
	if err != nil {
		return err
	}
	return s.change(ctx, spec, reason, by, func(Before) (string, bool, error) { return value, true, nil })
}

// Reset has a setting be as it comes.
func (s *Service) Reset(ctx context.Context, k Key, reason string, by audit.Actor) error {
	spec, known := Find(k)
	if !known {
		return ErrUnknown
	}
	return s.change(ctx, spec, reason, by, func(Before) (string, bool, error) { return "", false, nil })
}

// Undo takes the last change of a setting back.
func (s *Service) Undo(ctx context.Context, k Key, reason string, by audit.Actor) error {
	spec, known := Find(k)
	if !known {
		return ErrUnknown
	}
	last, err := s.Store.History(ctx, k, 1)
	if err != nil {
		return err
	}
	if len(last) == 0 {
		return ErrNoUndo
	}
	return s.change(ctx, spec, reason, by, func(before Before) (string, bool, error) { return before() })
}

// change keeps what next makes of a setting: a value, or none for as it comes.
func (s *Service) change(ctx context.Context, spec Spec, reason string, by audit.Actor, next func(Before) (string, bool, error)) error {
	if err := staff.Require(by, staff.SettingsManage); err != nil {
		return err
	}
	reason = strings.Join(strings.Fields(reason), " ")
	if reason == "" || utf8.RuneCountInString(reason) > maxReason || !utf8.ValidString(reason) {
		return fault.Bad(map[string]string{"reason": "Say in up to 200 characters why you change this."})
	}
	id, err1 := uuid.NewV7()
	eid, err2 := uuid.NewV7()
	if err1 != nil || err2 != nil {
		return fmt.Errorf("set %s: no id", spec.Key)
	}
	c := Change{ID: id.String(), Key: spec.Key, Reason: reason, By: by.Name, ByID: by.ID, At: s.Now().UTC(), Sealed: spec.IsSecret()}
	e := audit.Entry{ID: eid.String(), At: c.At, By: by, Target: string(c.Key)}
	err := s.Store.Set(ctx, &c, &e, func(kept Values, before Before) error {
		var err error
		if c.Value, c.Kept, err = next(before); err != nil {
			return err
		}
		return s.fit(spec, kept, &c, &e)
	})
	if err == nil {
		s.stale()
	}
	return err
}

// stale has the next reader look again. What was read last stays, for the case that it cannot look.
func (s *Service) stale() {
	s.looking.Lock()
	defer s.looking.Unlock()
	if last := s.seen.Load(); last != nil {
		s.seen.Store(&look{values: last.values})
	}
}

// fit fills in what a change and its record say, or says why it cannot be.
func (s *Service) fit(spec Spec, kept Values, c *Change, e *audit.Entry) error {
	was, had := kept[spec.Key]
	if had == c.Kept && was == c.Value {
		return ErrSame
	}
	then := maps.Clone(kept)
	delete(then, spec.Key)
	if c.Kept {
		then[spec.Key] = c.Value
	}
	before, after := s.inForce(kept), s.inForce(then)
	if problem := together(spec.Key, after); problem != "" {
		return fault.Bad(map[string]string{"value": problem})
	}
	c.Was, c.Now = told(spec, before[spec.Key]), told(spec, after[spec.Key])
	e.Action = "setting.set"
	if !c.Kept {
		e.Action = "setting.clear"
	}
	e.Details = map[string]string{"from": c.Was, "to": c.Now, "reason": c.Reason}
	return nil
}

// told is a value as the history and the record say it.
func told(spec Spec, value string) string {
	switch {
	case !spec.IsSecret():
		return value
	case value == "":
		return SecretUnset
	}
	return SecretSet
}

// What the history and the record say of the value of a secret setting.
const (
	SecretSet   = "(set)"
	SecretUnset = "(not set)"
)
