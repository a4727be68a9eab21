package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/dns"
)

// DNSRecords remembers which records the hub made. It is dnshost.Book.
type DNSRecords struct {
	DB  *DB
	Now func() time.Time
}

// dnsRecordRow mirrors table dns_records.
type dnsRecordRow struct {
	bun.BaseModel `bun:"table:dns_records,alias:r"`
	OrderID       string    `bun:"order_id,pk"`
	Provider      string    `bun:"provider,pk"`
	Zone          string    `bun:"zone,pk"`
	Name          string    `bun:"name,pk"`
	Type          string    `bun:"type,pk"`
	Value         string    `bun:"content,pk"`
	TTL           int       `bun:"ttl"`
	MadeAt        time.Time `bun:"made_at"`
}

func (r dnsRecordRow) record() dns.Record {
	return dns.Record{Name: r.Name, Type: r.Type, Value: r.Value, TTL: r.TTL}
}

// Ours lists the records that were made for an order in a zone of a provider.
func (s *DNSRecords) Ours(ctx context.Context, orderID, provider, zone string) ([]dns.Record, error) {
	var rows []dnsRecordRow
	err := s.DB.NewSelect().Model(&rows).Where("r.order_id = ?", orderID).Where("r.provider = ?", provider).Where("r.zone = ?", zone).
		Order("r.name", "r.type", "r.content").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list our records: %w", toFault(err))
	}
	return each(rows, dnsRecordRow.record), nil
}

// Enter notes that a record is about to be made.
func (s *DNSRecords) Enter(ctx context.Context, orderID, provider, zone string, r dns.Record) error {
	row := dnsRecordRow{
		OrderID: orderID, Provider: provider, Zone: zone, Name: r.Name, Type: r.Type, Value: r.Value, TTL: r.TTL, MadeAt: s.Now().UTC(),
	}
	if _, err := s.DB.NewInsert().Model(&row).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
		return fmt.Errorf("note our record: %w", toFault(err))
	}
	return nil
}

// Strike notes that a record was taken away.
func (s *DNSRecords) Strike(ctx context.Context, orderID, provider, zone string, r dns.Record) error {
	_, err := s.DB.NewDelete().Model(&dnsRecordRow{
		OrderID: orderID, Provider: provider, Zone: zone, Name: r.Name, Type: r.Type, Value: r.Value,
	}).WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("strike our record: %w", toFault(err))
	}
	return nil
}
