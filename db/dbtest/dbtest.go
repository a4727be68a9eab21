package dbtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/db"
	"gatehouse/db/devpg"
)

const template = "gatehouse_template"

var (
	mu     sync.Mutex // CREATE DATABASE … TEMPLATE refuses two at once
	server *devpg.Server
	serial atomic.Int64
)

// Main runs the tests of a package with a cluster of their own and stops it at the end, also when interrupted. Call it
// from TestMain.
func Main(m *testing.M) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, m)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dbtest:", err)
		code = 1
	}
	os.Exit(code)
}

func run(ctx context.Context, m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "gatehouse-dbtest-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil { // Postgres runs as somebody else when we are root
		return 1, err
	}
	if server, err = devpg.Start(ctx, devpg.Options{Dir: filepath.Join(dir, "pg")}); err != nil {
		return 1, err
	}
	defer func() { _ = server.Stop(context.WithoutCancel(ctx)) }()
	if err := makeTemplate(ctx); err != nil {
		return 1, err
	}
	go func() {
		<-ctx.Done()
		_ = server.Stop(context.WithoutCancel(ctx)) // tests then fail fast and the deferred clean-up runs
	}()
	return m.Run(), nil
}

func makeTemplate(ctx context.Context) error {
	if err := admin(ctx, "CREATE DATABASE "+template); err != nil {
		return err
	}
	return db.Migrate(ctx, dsn(template))
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
	if server == nil {
		t.Fatal("dbtest: this package's TestMain must call dbtest.Main")
	}
	name := fmt.Sprintf("test_%d", serial.Add(1))
	if err := admin(t.Context(), "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := admin(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return dsn(name)
}

func admin(ctx context.Context, sql string) error {
	mu.Lock()
	defer mu.Unlock()
	conn, err := pgx.Connect(ctx, server.DSN)
	if err != nil {
		return fmt.Errorf("dbtest: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("dbtest: %s: %w", sql, err)
	}
	return nil
}

func dsn(name string) string {
	u, err := url.Parse(server.DSN)
	if err != nil {
		panic(err) // devpg made it
	}
	u.Path = "/" + name
	return u.String()
}
