package portaltest

import (
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/signin"
	"gatehouse/db"
)

// Clerk is one of our staff who may do everything that staff may.
func (h *Hub) Clerk(t testing.TB) *Browser {
	t.Helper()
	b, _ := h.ClerkOf(t, "staff@example.com", "OWNER")
	return b
}

// ClerkOf is one of our staff with a role, and as whom they ask for keys.
func (h *Hub) ClerkOf(t testing.TB, email, role string) (*Browser, audit.Actor) {
	t.Helper()
	id := NewID()
	_, err := h.DB.Pool.Exec(t.Context(), `INSERT INTO staff (id, email, email_folded, name, role, password_hash, totp_secret, created_at)
		VALUES ($1, $2, $2, 'Staff', $3, $4, 'x', now())`, id, email, role, somebodysHash)
	Must(t, err)
	b := h.SignIn(t, signin.Staff, signin.Subject{StaffID: id})
	return b, audit.Actor{Kind: audit.Staff, ID: id, Name: email, Role: role, Address: "192.0.2.9"}
}

// StaffKey is a key for which one of our staff has asked, as the server reports it once its owner has added it.
func (h *Hub) StaffKey(t *testing.T, of Customer, by audit.Actor) (wire.Signer, wire.ApproverKey) {
	t.Helper()
	s := NewSigner()
	Must(t, h.Keys.AskAsStaff(t.Context(), of.ID, approver.Request{SPKI: s.SPKI(), Kind: wire.BrowserKey}, by))
	return s, wire.ApproverKey{
		KeyID: s.KeyID, SPKI: s.SPKI(), Kind: wire.BrowserKey, Holder: wire.HolderStaff,
		Label: by.Name, AddedBy: Signer().KeyID, CreatedAt: time.Now().UTC(),
	}
}

// Enroll reports which keys count on a customer's server, besides the owner's.
func (h *Hub) Enroll(t *testing.T, of Customer, keys ...wire.ApproverKey) {
	t.Helper()
	own := wire.ApproverKey{
		KeyID: Signer().KeyID, SPKI: Signer().SPKI(), Kind: wire.SoftwareKey,
		Holder: wire.HolderPerson, Label: "test", CreatedAt: time.Now().UTC(),
	}
	Must(t, (&db.Approvers{DB: h.DB}).Report(t.Context(), of.Server, wire.ApproverState{Keys: append(keys, own)}))
}
