package staff

// Permissions lists the rows of the table.
func Permissions() []Permission {
	all := make([]Permission, len(table))
	for i, row := range table {
		all[i] = row.permission
	}
	return all
}
