package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"

	"gatehouse/agentd/redact"
)

// plantedSecrets stand in each text whose scan is measured: a scan that finds fewer is no measurement.
const plantedSecrets = 20

// planted is mixed text with known secrets in it, in different encodings.
func planted(r *rand.Rand, known []redact.Known, size int) string {
	encodings := []func(string) string{
		func(s string) string { return s },
		func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		func(s string) string { return hex.EncodeToString([]byte(s)) },
		func(s string) string { return url.QueryEscape("&" + s + "=") },
	}
	var b strings.Builder
	for i := range plantedSecrets {
		b.WriteString(benchText(r, size/plantedSecrets-100))
		b.WriteString("\nnote " + encodings[i%len(encodings)](known[7*i].Value) + "\n")
	}
	return b.String()
}

// benchText is what conversations are made of: prose, logs, JSON, code and tables, dense in words like token and key.
func benchText(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(paragraph(r))
	}
	return b.String()[:n]
}

func paragraph(r *rand.Rand) string {
	switch r.IntN(6) {
	case 0:
		return "The access to the reporting database was restored after the session expired; please keep the password policy in mind, and rotate keys on time. "
	case 1:
		return fmt.Sprintf("2026-03-%02dT10:%02d:11Z INFO request finished method=GET path=/api/v1/orders/%d status=200 bytes=%d trace_id=%016x\n",
			1+r.IntN(28), r.IntN(60), r.IntN(9999), r.IntN(99999), r.Uint64())
	case 2:
		return fmt.Sprintf(`{"id":%q,"user":{"name":"Mara","email":"mara@shop.test"},"items":[{"sku":"A-%d","qty":%d,"note":"leave at the \"back\" door\n"}],"total":%d.50}`+"\n",
			drawn(r, 12), r.IntN(999), r.IntN(9), r.IntN(500))
	case 3:
		return fmt.Sprintf("func (s *Store) Lookup%d(ctx context.Context, key string) (*Token, error) {\n\tif key == \"\" {\n\t\treturn nil, ErrNoKey\n\t}\n\treturn s.tokens[key], nil\n}\n", r.IntN(99))
	case 4:
		return fmt.Sprintf("| %d | delivered | https://shop.test/orders?id=%d&page=%d | commit %016x%016x%08x |\n",
			r.IntN(999), r.IntN(99999), r.IntN(20), r.Uint64(), r.Uint64(), r.Uint32())
	}
	return "Sehr geehrte Frau Öztürk, die Lieferung über 14 Stück kommt am Dienstag. Müssen wir noch etwas ändern? Viele Grüße\n"
}
