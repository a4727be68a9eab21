package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"time"

	"gatehouse/app/server"
	"gatehouse/db"
	"gatehouse/jobs"
)

// commandKey names the key that signs commands, among those that are derived from the key file.
const commandKey = "commands to servers"

// commandsKey is the public half of the key that signs commands, as machines that are set up know it.
func commandsKey(cfg config) (string, error) {
	keys, err := db.ReadKeyring(cfg.keyFile())
	if err != nil {
		return "", err
	}
	key, err := keys.SigningKey(commandKey)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey)), nil
}

// openCommands makes what sends commands to servers. Its key comes from the key file, and so survives a lost database.
func (p *parts) openCommands(keys *db.Keyring, queue *jobs.Queue) error {
	key, err := keys.SigningKey(commandKey)
	if err != nil {
		return err
	}
	p.servers.Command = key.Public().(ed25519.PublicKey)
	p.commands = &server.Commands{Store: &db.ServerCommands{DB: p.db, Jobs: queue}, Servers: p.servers, Key: key, Now: time.Now}
	return nil
}
