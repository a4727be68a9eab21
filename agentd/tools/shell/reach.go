package shell

import (
	"slices"

	"gatehouse/agentd/policy"
)

// observers are programs that tell of the machine's processes and network, and do nothing else.
var observers = []string{"ps", "pgrep", "pidof", "pstree", "top", "w", "uptime", "ss", "netstat", "ip", "hostname", "lsof", "ifconfig", "route", "arp"}

// looksAtMachine says whether a command shall see processes and network tables: one that only reads.
func looksAtMachine(plan policy.ShellPlan) bool {
	return plan.Class.Tier == policy.Green && slices.ContainsFunc(plan.Programs, func(p string) bool { return slices.Contains(observers, p) })
}

// clients are programs that do their work by asking a service of this machine over a unix socket.
var clients = []string{
	"docker", "podman", "nerdctl", "ctr", "crictl", "kubectl", "systemctl", "journalctl", "loginctl", "timedatectl", "hostnamectl", "localectl",
	"resolvectl", "networkctl", "busctl", "machinectl", "psql", "pg_isready", "pg_dump", "pg_dumpall", "pg_restore", "pg_basebackup", "createdb",
	"dropdb", "createuser", "dropuser", "vacuumdb", "reindexdb", "clusterdb", "mysql", "mysqladmin", "mysqldump", "mysqlshow", "mysqlcheck",
	"mysqlimport", "mariadb", "mariadb-admin", "mariadb-dump", "mariadb-show", "mariadb-check", "redis-cli", "valkey-cli", "mongosh", "supervisorctl",
	"fail2ban-client", "virsh", "lxc", "incus", "snap", "nmcli", "getent", "postqueue", "mailq", "lpstat", "chronyc", "rndc",
}

// asksServices says whether a command shall reach services of the machine: one that names a client of them, so that
// whoever allowed it has read so. Beside a program that the gate does not know none does, for that one would reach them too.
func asksServices(plan policy.ShellPlan) bool { return plan.Stranger == "" && namesClient(plan) }

func namesClient(plan policy.ShellPlan) bool {
	return slices.ContainsFunc(plan.Programs, func(p string) bool { return slices.Contains(clients, p) })
}

// keptApart tells the model why a client has found no service.
func keptApart(plan policy.ShellPlan) string {
	if plan.Stranger == "" || !namesClient(plan) {
		return ""
	}
	return "\n[No service of this machine could be reached: " + plan.Stranger + " is not a program that the gate knows. Ask the service in a call of its own.]"
}
