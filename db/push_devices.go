package db

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/audit"
	"gatehouse/app/push"
	"gatehouse/app/work"
)

// PushDevices keeps the devices that people get notifications on. It is push.Store, and approval.Devices.
type PushDevices struct {
	DB   *DB
	Keys *Keyring
	Jobs Enqueuer
}

var (
	_ push.Store       = (*PushDevices)(nil)
	_ approval.Devices = (*PushDevices)(nil)
)

// pushDeviceRow mirrors table push_devices. What a device shows, and who tells it, is read by pgx: see push_telling.go.
type pushDeviceRow struct {
	bun.BaseModel `bun:"table:push_devices,alias:p"`
	ID            string    `bun:"id,pk"`
	CustomerID    string    `bun:"customer_id"`
	UserID        string    `bun:"user_id"`
	Name          string    `bun:"name"`
	Print         []byte    `bun:"print"`
	Subscription  []byte    `bun:"subscription"`
	CreatedAt     time.Time `bun:"created_at"`
	ToldAt        time.Time `bun:"told_at,nullzero"`
	FailedAt      time.Time `bun:"failed_at,nullzero"`
}

func (r pushDeviceRow) device() push.Device {
	return push.Device{
		ID: r.ID, CustomerID: account.CustomerID(r.CustomerID), UserID: account.UserID(r.UserID), Name: r.Name,
		Print: base64.RawURLEncoding.EncodeToString(r.Print), CreatedAt: r.CreatedAt, ToldAt: r.ToldAt, FailedAt: r.FailedAt,
	}
}

// Add keeps a device and has it told what waits.
func (s *PushDevices) Add(ctx context.Context, d push.Device, sub push.Subscription, limit int, e audit.Entry) error {
	row, err := s.row(d, sub)
	if err != nil {
		return fmt.Errorf("add device: %w", err)
	}
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := roomFor(ctx, tx, row, limit); err != nil {
			return err
		}
		// the row that the browser had goes: it is the device of whoever is signed in there now
		if _, err := tx.NewDelete().Model((*pushDeviceRow)(nil)).Where("p.print = ?", row.Print).Exec(ctx); err != nil {
			return toFault(err)
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return toFault(err)
		}
		if err := writeAudit(ctx, tx, e); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, []work.Item{work.TellDevice{DeviceID: d.ID}})
	})
	if err != nil {
		return fmt.Errorf("add device: %w", err)
	}
	return nil
}

// roomFor locks the person, so that of two devices at once the second is counted too, and refuses one device too many.
func roomFor(ctx context.Context, tx Tx, row *pushDeviceRow, limit int) error {
	who := new(userRow)
	err := tx.NewSelect().Model(who).Column("u.id").Where("u.id = ?", row.UserID).Where("u.customer_id = ?", row.CustomerID).
		For("NO KEY UPDATE").Scan(ctx)
	if err != nil {
		return toFault(err)
	}
	others, err := tx.NewSelect().Model((*pushDeviceRow)(nil)).
		Where("p.user_id = ?", row.UserID).Where("p.print <> ?", row.Print).Count(ctx)
	if err != nil {
		return toFault(err)
	}
	if int(others) >= limit {
		return push.ErrMany
	}
	return nil
}

// sealed is a subscription as its column holds it, closed.
type sealed struct {
	Endpoint string `json:"endpoint"`
	P256dh   string `json:"p256dh"`
	Auth     string `json:"auth"`
}

func (s *PushDevices) row(d push.Device, sub push.Subscription) (*pushDeviceRow, error) {
	print, err := base64.RawURLEncoding.DecodeString(d.Print)
	if err != nil {
		return nil, err
	}
	plain, err := json.Marshal(sealed(sub))
	if err != nil {
		return nil, err
	}
	return &pushDeviceRow{
		ID: d.ID, CustomerID: string(d.CustomerID), UserID: string(d.UserID), Name: d.Name, Print: print,
		Subscription: s.Keys.Seal("push_devices", d.ID, "subscription", plain), CreatedAt: d.CreatedAt,
	}, nil
}

// List gives the devices of a person, newest first.
func (s *PushDevices) List(ctx context.Context, of account.CustomerID, user account.UserID) ([]push.Device, error) {
	var rows []pushDeviceRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).ExcludeColumn("subscription").
		Where("p.customer_id = ?", of).Where("p.user_id = ?", user).Order("p.id DESC").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list devices: %w", toFault(err))
	}
	return each(rows, pushDeviceRow.device), nil
}

// Rename calls a device by another name.
func (s *PushDevices) Rename(ctx context.Context, of account.CustomerID, user account.UserID, id, name string) error {
	res, err := s.DB.bun(ctx).NewUpdate().Model((*pushDeviceRow)(nil)).Set("name = ?", name).
		Where("p.customer_id = ?", of).Where("p.user_id = ?", user).Where("p.id = ?", id).Exec(ctx)
	if err != nil {
		return fmt.Errorf("rename device: %w", toFault(err))
	}
	return oneRow(res)
}

// Remove turns a device off.
func (s *PushDevices) Remove(ctx context.Context, of account.CustomerID, user account.UserID, id string, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewDelete().Model((*pushDeviceRow)(nil)).
			Where("p.customer_id = ?", of).Where("p.user_id = ?", user).Where("p.id = ?", id).Exec(ctx)
		if err != nil {
			return fmt.Errorf("remove device: %w", toFault(err))
		}
		if err := oneRow(res); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}

// Test has a device of the person sent a test message.
func (s *PushDevices) Test(ctx context.Context, of account.CustomerID, user account.UserID, id string) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		err := tx.NewSelect().Model(new(pushDeviceRow)).Column("p.id").
			Where("p.customer_id = ?", of).Where("p.user_id = ?", user).Where("p.id = ?", id).Scan(ctx)
		if err != nil {
			return fmt.Errorf("test device: %w", toFault(err))
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, []work.Item{work.TestDevice{DeviceID: id}})
	})
}
