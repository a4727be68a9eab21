package portaltest

import (
	"crypto/ed25519"
	"encoding/base64"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/server"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// Customer is a business with a registered server.
type Customer struct {
	ID     account.CustomerID
	User   account.UserID
	Email  string
	Server server.ID
}

const somebodysHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// NewCustomer adds a customer who has paid and whose server has registered.
func (h *Hub) NewCustomer(t testing.TB) Customer {
	t.Helper()
	now := time.Now().UTC()
	c := Customer{ID: account.CustomerID(NewID()), User: account.UserID(NewID()), Server: server.ID(NewID())}
	c.Email = "owner+" + NewID()[24:] + "@example.com"
	n := order.New{
		Order: order.Order{
			ID: order.ID(NewID()), CustomerID: c.ID, OrderedBy: c.User, Plan: pricing.Build, Price: 45_00, Currency: "EUR", PaidBy: "test",
			Region: order.EU, Slug: "bakery-" + NewID()[24:], Mode: order.Auto, State: order.PaymentConfirmed, CreatedAt: now, UpdatedAt: now,
		},
		Account: &account.New{
			Customer:     account.Customer{ID: c.ID, Name: "Example Bakery", TimeZone: "Europe/Vienna", CreatedAt: now},
			Owner:        account.User{ID: c.User, CustomerID: c.ID, Email: c.Email, Name: "The owner", Role: account.Owner, CreatedAt: now},
			PasswordHash: somebodysHash,
		},
	}
	_, err := (&db.Orders{DB: h.DB, Jobs: dbtest.NoJobs{}}).Create(t.Context(), n)
	Must(t, err)
	Must(t, (&db.Servers{DB: h.DB}).Create(t.Context(), server.Server{
		ID: c.Server, CustomerID: c.ID, OrderID: string(n.Order.ID), Slug: n.Order.Slug, Provider: "local", State: server.New, CreatedAt: now,
	}))
	h.register(t, c)
	Must(t, (&db.Approvers{DB: h.DB}).Report(t.Context(), c.Server, wire.ApproverState{Keys: []wire.ApproverKey{
		{KeyID: Signer().KeyID, SPKI: Signer().SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "test", CreatedAt: now},
	}}))
	return c
}

// register gives the server keys, as its first start does, and a heartbeat.
func (h *Hub) register(t testing.TB, c Customer) {
	t.Helper()
	token, err := h.Servers.Mint(t.Context(), c.Server)
	Must(t, err)
	seal, _, err := wire.NewSealKey()
	Must(t, err)
	sign, _, err := ed25519.GenerateKey(nil)
	Must(t, err)
	_, err = h.Servers.Register(t.Context(), wire.RegisterRequest{
		Token: token, PublicKey: base64.RawURLEncoding.EncodeToString(sign), SealKey: seal, AgentdVersion: "1.0.0",
	}, "127.0.0.1")
	Must(t, err)
	Must(t, h.Servers.Heartbeat(t.Context(), c.Server, wire.Heartbeat{
		Time: time.Now(), UptimeS: 90, AgentdVersion: "1.0.0", Cores: 2,
		MemTotal: 8 << 30, MemFree: 6 << 30, DiskTotal: 100 << 30, DiskFree: 58 << 30,
		Model: "rehearsal", Rehearsal: true, Protection: []string{"tools have no network"},
	}))
}
