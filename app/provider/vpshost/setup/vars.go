package setup

import (
	"errors"
	"fmt"
	"strconv"

	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
)

// vars are the variables of the scripts.
func (w *work) vars() map[string]string {
	return map[string]string{
		"ssh_port": strconv.Itoa(w.conn.Port), "hub_key": target.KeyText(w.Key.PublicKey()), "admin_key": w.AdminKey,
		"hub": w.Hub, "smtp": w.SMTPAddr, "mail_from": w.MailFrom, "model_url": w.ModelURL, "model_name": w.ModelName,
		"model_vectors": w.ModelVectors, "model_key": w.ModelKey,
		"agentd_sum": w.sum, "server": w.ServerID, "commands": w.Commands,
		"token": w.Token, "seed": w.Seed, "name": w.Name, "authority": w.Authority,
	}
}

// reached says in words for people why a machine was not reached. What only a person can mend is final.
func reached(err error) error {
	var reason string
	switch {
	case errors.Is(err, target.ErrHostKey):
		reason = "The machine shows another host key than before. " +
			"Either it was installed anew, or something stands between it and the hub. " +
			"Check it before you try again; of a machine of the pool, the page of machines takes another key."
	case errors.Is(err, target.ErrKeyRefused):
		reason = "The machine does not accept the hub's SSH key. Passwords are not used. " +
			"Put the key that the pool page shows into the machine's authorized_keys, then try again."
	case errors.Is(err, target.ErrUnreachable):
		return &vpshost.AwayError{Reason: "The machine did not answer over SSH, however often it was tried. What was done on it stays. " +
			"Check that it runs, its address and the provider's firewall, then try again.", Err: err}
	default:
		return err
	}
	return fmt.Errorf("%w (%w)", &vpshost.RefusedError{Reason: reason}, err)
}

// ended gives a script's failure its words.
func ended(err error) error {
	var exit *target.ExitError
	if errors.As(err, &exit) && exit.Last != "" {
		return fmt.Errorf("it ended with status %d. Its last words: %s", exit.Status, exit.Last)
	}
	return err
}
