package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/page"
)

// MaxExport is how many records one export has at most: the newest.
const MaxExport = 100_000

// Service is the record as our staff read it.
type Service struct {
	Reader
	Record Record
	Now    func() time.Time
}

// Export hands the records that f and search leave to each, newest first, a stretch at a time. That somebody takes them out
// is on record before the first of them.
func (s *Service) Export(ctx context.Context, f Filter, search string, by Actor, each func([]Line) error) error {
	ask, err := page.Ask{Limit: page.MaxLimit, Search: search}.Clean()
	if err != nil {
		return err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("export audit log: %w", err)
	}
	e := Entry{ID: id.String(), At: s.Now().UTC(), By: by, Action: "audit.export", Details: f.details(ask.Search)}
	if err := s.Record.Add(ctx, e); err != nil {
		return fmt.Errorf("export audit log: %w", err)
	}
	ask.After = e.ID // what is written from now on is no part of it
	for left := MaxExport; left > 0; left -= ask.Limit {
		ask.Limit = min(ask.Limit, left)
		of, err := s.Find(ctx, f, ask)
		if err != nil {
			return err
		}
		if err := each(of.Items); err != nil || of.Next == "" {
			return err
		}
		ask.After = of.Next
	}
	return nil
}

// details is what was asked for, for the record.
func (f Filter) details(search string) map[string]string {
	d := map[string]string{}
	for name, v := range map[string]string{
		"customer": f.Customer, "by": f.By, "action": f.Action, "search": search, "from": instant(f.From), "to": instant(f.To),
	} {
		if v != "" {
			d[name] = v
		}
	}
	return d
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Columns are the heads of an export as a table.
func Columns() []string {
	return []string{
		"time", "kind", "person", "person_id", "role", "address", "action", "target", "about", "about_name", "customer_id", "customer",
		"details",
	}
}

// Cells is a record as a row of an export. No cell can be taken for a formula by the program that opens it.
func (l Line) Cells() []string {
	details, _ := json.Marshal(l.Details) // a map of strings always has JSON
	cells := []string{
		l.At.UTC().Format(time.RFC3339), string(l.By.Kind), l.By.Name, l.By.ID, l.By.Role, l.By.Address, l.Action, l.Target,
		l.About.Kind, l.About.Name, l.CustomerID, l.Customer, string(details),
	}
	for i, c := range cells {
		cells[i] = Inert(c)
	}
	return cells
}

// Inert puts a quote before what a spreadsheet would calculate: for cells of exports.
func Inert(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
