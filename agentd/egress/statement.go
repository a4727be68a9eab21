package egress

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

var (
	sqlRows = lazyre.MustCompile(`(?is)insert\s+into\s+([^\s(]+)\s*\(([^)]{3,600})\)\s*values\s*([^;]{3,1000})|insert\s+into\s+(\S+)\s+values\s*([^;]{3,1000})`)
	sqlCopy = lazyre.MustCompile(`(?im)^copy\s+\S+\s*\([^)]+\)\s+from\s+stdin|^-- (?:mysql|postgresql|mariadb|sqlite)\b.{0,40}dump`)
)

// statements finds rows on their way into a database: those of a table of people, by its name, its columns or what the
// rows hold.
func (m *message) statements() bool {
	if !strings.Contains(m.lower, "insert") && !strings.Contains(m.lower, "copy") && !strings.Contains(m.lower, "dump") {
		return false
	}
	if sqlCopy.MatchString(m.text) {
		return true
	}
	all := 0
	for _, g := range sqlRows.FindAllStringSubmatch(m.lower, 50) {
		cells, values := strings.Split(g[2], ","), g[3]+g[5]
		contacts, sensitive := columns(cells)
		rows := strings.Count(values, "),") + 1
		switch {
		case contacts+sensitive >= 2, contacts+sensitive == 1 && !anyName(cells), ofPeople(g[1] + g[4]), mailForm.MatchString(values):
			all += rows
		}
	}
	return all >= rowsOfSensitive
}

// ofPeople says whether a table is named after people: public.customers.
func ofPeople(table string) bool {
	name := strings.Trim(table[strings.LastIndexByte(table, '.')+1:], "`\"[] ")
	return isContact(name) || isContact(strings.TrimSuffix(name, "s")) || isContact(strings.TrimSuffix(name, "en"))
}
