package hook

import (
	"context"
	"net/http"

	"gatehouse/agentd/hook/proof"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// prove checks the proof of a sender.
func (h *Hooks) prove(ctx context.Context, r row, s proof.Sent) (marks []proof.Mark, why string, err error) {
	if r.Proof == wire.HookToken {
		marks, why = proof.Token(r.SecretHash, s)
		return marks, why, nil
	}
	key, err := h.key(ctx, r)
	if err != nil || key.Empty() {
		return nil, "Its key in the vault is gone, or is not the one that was signed for. Renew the secret.", err
	}
	if r.Proof == wire.HookSigned {
		marks, why = proof.Signed(key.Reveal(), s, h.now())
	} else {
		marks, why = proof.Body(key.Reveal(), s)
	}
	return marks, why, nil
}

// key gives the key of a hook, from memory while it is the one that was signed for: forgeries do not wear the vault out. It is empty
// when there is none like that.
func (h *Hooks) key(ctx context.Context, r row) (secret.Value, error) {
	h.mu.Lock()
	have, there := h.keys[r.ID]
	h.mu.Unlock()
	if there && have.hash == r.SecretHash && h.now().Before(have.until) {
		return have.key, nil
	}
	key, err := h.d.Keys.Key(ctx, wire.HookSecretName(r.Name))
	if err != nil {
		return secret.Value{}, err
	}
	if proof.Hash([]byte(key.Reveal())) != r.SecretHash {
		key = secret.Value{}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keys[r.ID] = known{hash: r.SecretHash, key: key, until: h.now().Add(keyLife)}
	return key, nil
}

// tooLong is what becomes of a delivery whose body is not read. Only a bearer token proves a sender without it.
func tooLong(r row, d wire.HookDelivery) outcome {
	if r.Proof != wire.HookToken {
		return stranger("It was longer than 64 KiB, so its proof was not looked at.")
	}
	if _, why := proof.Token(r.SecretHash, proof.Sent{Headers: d.Headers}); why != "" {
		return stranger(why)
	}
	return refused(http.StatusRequestEntityTooLarge, "It is longer than 64 KiB. Nothing was taken.", "It was longer than 64 KiB.")
}
