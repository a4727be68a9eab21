package vault

import (
	"context"
	"database/sql"

	"gatehouse/agentd/vault/secret"
)

// Own opens the current value of a secret for the process whose vault this is and that uses it itself, such as the model
// proxy with a provider's key. purpose goes on the audit. The error is ErrUnknown when there is none, or none anymore.
func (v *Vault) Own(ctx context.Context, name, purpose string) (secret.Value, error) {
	val, n, err := v.reveal(ctx, name)
	if err != nil {
		return secret.Value{}, err
	}
	err = v.db.Write(ctx, func(tx *sql.Tx) error {
		return v.note(context.WithoutCancel(ctx), tx, v.now().UTC(), entry{name, n, actUse, "agentd", purpose})
	})
	if err != nil {
		return secret.Value{}, err
	}
	return val, nil
}
