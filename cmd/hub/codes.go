package main

import (
	"time"

	"gatehouse/app/staff"
	"gatehouse/db"
	"gatehouse/jobs"
)

// codeKey names the key that the hashes of mailed codes are made with.
const codeKey = "codes of our staff"

// openCodes lets our staff confirm with mailed codes what nobody can take back.
func (p *parts) openCodes(keys *db.Keyring, queue *jobs.Queue) error {
	key, err := keys.SigningKey(codeKey)
	if err != nil {
		return err
	}
	p.codes = &staff.Codes{Store: &db.StaffCodes{DB: p.db, Jobs: queue}, People: p.staff, Key: key.Seed(), Now: time.Now}
	p.staff.Codes = p.codes
	return nil
}
