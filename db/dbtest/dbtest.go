package dbtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/db"
)

var (
	mu       sync.Mutex
	cluster  *shared // once a test has asked for it
	notBegun = true  // Main was not called
	serial   atomic.Int64
	program  = strings.ToLower(rand.Text()[:12]) // tells our databases from those of others who run at the same time
)

// Main runs the tests of a package and leaves the cluster when one of them used it. Call it from TestMain.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is Main for a TestMain that has more to do before it ends.
func Run(m *testing.M) (code int) {
	mu.Lock()
	notBegun = false
	mu.Unlock()
	code = m.Run()
	mu.Lock()
	defer mu.Unlock()
	if cluster == nil {
		return code
	}
	if err := cluster.leave(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "dbtest:", err)
		return max(code, 1)
	}
	return code
}

// New is an open, migrated, empty database that belongs to t alone.
func New(t testing.TB) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), NewDSN(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// NewDSN is the address of a migrated, empty database that belongs to t alone.
func NewDSN(t testing.TB) string {
	t.Helper()
	c, err := joined(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("test_%s_%d", program, serial.Add(1))
	if err := c.admin(t.Context(), "CREATE DATABASE "+name+" TEMPLATE "+c.template+cheapest); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := c.admin(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return c.database(name)
}

// Log is the file that the cluster of t's database logs to.
func Log(t testing.TB) string {
	t.Helper()
	c, err := joined(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c.log()
}

// joined is the cluster, which the first test that asks joins for all.
func joined(ctx context.Context) (c *shared, err error) {
	mu.Lock()
	defer mu.Unlock()
	if notBegun {
		return nil, errors.New("dbtest: this package's TestMain must call dbtest.Main")
	}
	if cluster == nil {
		cluster, err = join(context.WithoutCancel(ctx))
	}
	return cluster, err
}

// cheapest is how a database is copied: file by file. Postgres itself would write each page to its log as well, for three times
// the processor time.
const cheapest = " STRATEGY = FILE_COPY"

// admin runs a statement beside the databases. Its connections stay: to make one costs more than most statements.
func (s *shared) admin(ctx context.Context, sql string) error {
	if _, err := s.beside.Exec(ctx, sql); err != nil {
		return fmt.Errorf("dbtest: %s: %w", sql, err)
	}
	return nil
}

func (s *shared) database(name string) string {
	u, err := url.Parse(s.DSN)
	if err != nil {
		panic(err) // devpg made it
	}
	u.Path = "/" + name
	return u.String()
}
