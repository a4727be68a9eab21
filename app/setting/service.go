package setting

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
)

// Store is what Service needs; db.Settings has it.
type Store interface {
	// Values gives the values that are not as they come.
	Values(ctx context.Context) (map[Key]string, error)
	// Set keeps a change and records it: both or neither. Two changes of a setting come one after the other: may is given the value
	// that is in force then, empty when it is as it comes, and fills in what the change and its record say of it.
	Set(ctx context.Context, c *Change, e *audit.Entry, may func(was string) error) error
	// History lists the newest changes of a setting, the newest first.
	History(ctx context.Context, k Key, limit int) ([]Change, error)
}

// fresh is how long values are used without another look: all processes of the hub agree within that time.
const fresh = 2 * time.Second

// lookLimit is how long a look may hold up whoever reads a value.
const lookLimit = time.Second

// Service is the settings as they are in force.
type Service struct {
	Store Store
	Now   func() time.Time
	Log   *slog.Logger

	mu     sync.Mutex
	values map[Key]string
	looked time.Time
}

// Refusals.
var (
	ErrUnknown = fault.New(fault.NotFound, "no-setting", "no such setting", "There is no such setting. Nothing was changed.")
	ErrSame    = fault.New(fault.Conflict, "setting-same", "the setting has that value",
		"The setting has this value already. Nothing was changed.")
)

// Minutes is a setting as a time. What cannot be read now stays as it was read last, and as it comes before that.
func (s *Service) Minutes(k Key) time.Duration { return time.Duration(s.value(k)) * time.Minute }

func (s *Service) value(k Key) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.Now(); now.Sub(s.looked) >= fresh || s.values == nil {
		ctx, cancel := context.WithTimeout(context.Background(), lookLimit)
		defer cancel()
		if values, err := s.Store.Values(ctx); err == nil {
			s.values = values
		} else {
			s.Log.Warn("settings could not be read", "error", err)
		}
		s.looked = now
	}
	return inForce(k, s.values[k])
}

// inForce is the value of a setting by what is kept; one that this program does not take is as it comes.
func inForce(k Key, kept string) int {
	spec, _ := Find(k)
	if n, err := spec.Parse(kept); kept != "" && err == nil {
		return n
	}
	return spec.Default
}

// Now is a setting with its value and its newest changes.
type Now struct {
	Spec
	Value   int
	Changed bool // it is not as it comes
	History []Change
}

// historyShown is how many changes of a setting a page shows.
const historyShown = 10

// List gives all settings as they are now.
func (s *Service) List(ctx context.Context) ([]Now, error) {
	values, err := s.Store.Values(ctx)
	if err != nil {
		return nil, err
	}
	var all []Now
	for _, spec := range specs {
		n := Now{Spec: spec, Value: inForce(spec.Key, values[spec.Key]), Changed: values[spec.Key] != ""}
		if n.History, err = s.Store.History(ctx, spec.Key, historyShown); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

const maxReason = 200 // characters

// Set gives a setting another value; an empty one is as it comes. It is in force here at once, and within seconds everywhere.
func (s *Service) Set(ctx context.Context, k Key, value, reason string, by audit.Actor) error {
	if err := staff.Require(by, staff.SettingsManage); err != nil {
		return err
	}
	spec, known := Find(k)
	if !known {
		return ErrUnknown
	}
	if value != "" {
		n, err := spec.Parse(value)
		if err != nil {
			return err
		}
		value = strconv.Itoa(n)
	}
	reason = strings.Join(strings.Fields(reason), " ")
	if reason == "" || utf8.RuneCountInString(reason) > maxReason || !utf8.ValidString(reason) {
		return fault.Bad(map[string]string{"reason": "Say in up to 200 characters why you change this."})
	}
	return s.store(ctx, Change{Key: k, Value: value, Reason: reason, By: by.Name, ByID: by.ID}, by)
}

func (s *Service) store(ctx context.Context, c Change, by audit.Actor) error {
	id, err1 := uuid.NewV7()
	eid, err2 := uuid.NewV7()
	if err1 != nil || err2 != nil {
		return fmt.Errorf("set %s: no id", c.Key)
	}
	c.ID, c.At = id.String(), s.Now().UTC()
	action := "setting.set"
	if c.Value == "" {
		action = "setting.clear"
	}
	e := audit.Entry{ID: eid.String(), At: c.At, By: by, Action: action, Target: string(c.Key)}
	err := s.Store.Set(ctx, &c, &e, func(was string) error {
		if was == c.Value {
			return ErrSame
		}
		c.Was = strconv.Itoa(inForce(c.Key, was))
		e.Details = map[string]string{"from": c.Was, "to": strconv.Itoa(inForce(c.Key, c.Value)), "reason": c.Reason}
		return nil
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked = time.Time{}
	return err
}
