package portaltest

import (
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/signin"
	"gatehouse/db"
)

// Member adds somebody to a customer's people, with rights. Their address is proven.
func (h *Hub) Member(t testing.TB, of Customer, name string, r account.Rights) account.User {
	t.Helper()
	u := account.User{
		ID: account.UserID(NewID()), CustomerID: of.ID, Email: NewID()[24:] + "@example.com", Name: name,
		Role: r.Role, Chat: r.Chat, Approve: r.Approve,
	}
	_, err := h.DB.Pool.Exec(t.Context(),
		`INSERT INTO users (id, customer_id, email, email_folded, name, role, may_chat, may_approve, password_hash,
		verified_at, created_at) VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, now(), now())`,
		u.ID, u.CustomerID, u.Email, u.Name, u.Role, u.Chat, u.Approve, somebodysHash)
	Must(t, err)
	return u
}

// Prove has the owner's address proven.
func (h *Hub) Prove(t testing.TB, of Customer) {
	t.Helper()
	_, err := h.DB.Pool.Exec(t.Context(), "UPDATE users SET verified_at = now() WHERE id = $1", of.User)
	Must(t, err)
}

// Belongs has the server report a key of a member, who has asked for it, and one that a browser of the owner keeps.
func (h *Hub) Belongs(t *testing.T, of Customer, s wire.Signer, u account.User) {
	t.Helper()
	Must(t, (&db.Approvers{DB: h.DB}).Belongs(t.Context(), of.Server, s.KeyID, string(u.ID)))
	h.Enroll(t, of, wire.ApproverKey{
		KeyID: s.KeyID, SPKI: s.SPKI(), Kind: wire.BrowserKey, Holder: wire.HolderMember, Label: "Phone", AddedBy: Signer().KeyID,
		CreatedAt: time.Now().UTC(),
	}, wire.ApproverKey{
		KeyID: Stranger().KeyID, SPKI: Stranger().SPKI(), Kind: wire.BrowserKey, Holder: wire.HolderPerson, Label: "Laptop",
		AddedBy: Signer().KeyID, CreatedAt: time.Now().UTC(),
	})
}

// As opens the browser of a person.
func (h *Hub) As(t testing.TB, u account.User) *Browser {
	t.Helper()
	return h.SignIn(t, signin.Customer, signin.Subject{CustomerID: string(u.CustomerID), UserID: string(u.ID)})
}
