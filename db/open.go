package db

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"gatehouse/app/work"
)

// Enqueuer queues follow-up work inside the transaction of the change that asks for it; jobs.Queue is one.
type Enqueuer interface {
	EnqueueTx(ctx context.Context, tx pgx.Tx, items []work.Item) error
}

// DB is one pool of connections, seen through bun (embedded) and through pgx (Pool, which River uses too).
type DB struct {
	*bun.DB
	Pool *pgxpool.Pool
}

// maxConns is the size of the pool unless the DSN says pool_max_conns.
const maxConns = 16

// Open connects to the database at dsn and checks that it answers.
func Open(ctx context.Context, dsn string) (*DB, error) {
	cfg, err := config(dsn)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	// Never set idle connections on this handle: it would keep pool connections to itself and starve raw pgx.
	return &DB{DB: bun.NewDB(stdlib.OpenDBFromPool(pool), dialect{pgdialect.New()}), Pool: pool}, nil
}

// Close gives up all connections. Transactions that are open are rolled back by the server.
func (d *DB) Close() {
	_ = d.DB.Close() // closes the handle only: it holds no connection of its own
	d.Pool.Close()
}

// dialect is bun's, except that Postgres gets a text with a zero byte to see, and refuses it, as it refuses such a
// parameter. bun would make the statement a syntax error, which looks like a fault of ours.
type dialect struct{ *pgdialect.Dialect }

// AppendString adds s as a literal.
func (d dialect) AppendString(b []byte, s string) []byte {
	if strings.IndexByte(s, 0) >= 0 {
		return append(b, `E'\x00'`...)
	}
	return d.Dialect.AppendString(b, s)
}

func config(dsn string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	if !strings.Contains(dsn, "pool_max_conns") {
		cfg.MaxConns = maxConns
	}
	cfg.MaxConnIdleTime = 5 * time.Minute
	// bun writes values into the text of a query, so texts hardly repeat and a prepared statement for each would be a
	// wasted round trip.
	cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	for name, value := range map[string]string{
		"application_name":                    "gatehouse",
		"timezone":                            "UTC",
		"statement_timeout":                   "60s",
		"lock_timeout":                        "10s",
		"idle_in_transaction_session_timeout": "60s",
	} {
		if _, set := cfg.ConnConfig.RuntimeParams[name]; !set {
			cfg.ConnConfig.RuntimeParams[name] = value
		}
	}
	cfg.AfterConnect = utcTimes
	return cfg, nil
}

// utcTimes makes every timestamptz that is read come as UTC instead of the machine's zone.
func utcTimes(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}
