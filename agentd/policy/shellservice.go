package policy

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// systemctlVerbs are what systemctl can be told to do.
var systemctlVerbs = map[string]Tier{
	"status": Green, "is-active": Green, "is-enabled": Green, "is-failed": Green, "list-units": Green, "list-timers": Green, "list-sockets": Green,
	"list-unit-files": Green, "list-dependencies": Green, "list-jobs": Green, "list-paths": Green, "list-automounts": Green, "show": Green, "cat": Green, "get-default": Green, "is-system-running": Green, "help": Green,
	"start": Yellow, "restart": Yellow, "reload": Yellow, "try-restart": Yellow, "reload-or-restart": Yellow, "try-reload-or-restart": Yellow,
	"stop": Red, "disable": Red, "enable": Red, "reenable": Red, "mask": Red, "unmask": Red, "kill": Red, "reset-failed": Red, "daemon-reload": Red,
	"daemon-reexec": CriticalRed, "isolate": CriticalRed, "set-default": CriticalRed, "reboot": CriticalRed, "poweroff": CriticalRed, "halt": CriticalRed,
	"kexec": CriticalRed, "suspend": CriticalRed, "hibernate": CriticalRed, "rescue": CriticalRed, "emergency": CriticalRed, "default": CriticalRed, "exit": CriticalRed,
	"switch-root": Forbidden, "edit": Forbidden, "link": Forbidden, "revert": Forbidden, "set-property": Forbidden, "set-environment": Forbidden,
	"import-environment": Forbidden, "unset-environment": Forbidden, "add-wants": Forbidden, "add-requires": Forbidden, "bind": Forbidden, "mount-image": Forbidden,
	"preset": Red, "preset-all": CriticalRed, "freeze": Red, "thaw": Red, "clean": CriticalRed, "cancel": Red, "log-level": Red, "log-target": Red, "service-watchdogs": CriticalRed,
}

// protective are services that keep the machine safe, or reachable.
var protective = lazyre.MustCompile(`^(ssh|sshd|ufw|firewalld|fail2ban|nftables|iptables|netfilter-persistent|apparmor|auditd|agentd(?:-[a-z-]+)?|gatehouse.*|docker|containerd|systemd-.*|networking|network-manager|NetworkManager|crowdsec.*|clamav.*|unattended-upgrades|rsyslog|systemd-journald)(\.service|\.socket)?$`)

// systemctl is judged by its verb; to stop what keeps the machine safe is worse.
func (j *judge) systemctl(args []arg) {
	j.grammar(table["systemctl"], args)
	j.stopsProtection(args)
	if anyWord(args, func(w string) bool { return systemctlVerbs[w] != "" && systemctlVerbs[w] != Green }) {
		j.startsAnything(args)
	}
	if anyWord(args, func(w string) bool { return systemctlVerbs[w] != "" && systemctlVerbs[w] != Green }) && slices.ContainsFunc(args, func(a arg) bool { return !a.fixed }) {
		j.raise(CriticalRed, "Which service it is is only known when it runs.")
	}
	if anyWord(args, func(w string) bool { return strings.Contains(strings.ToLower(w), "environment") }) {
		j.raise(Red, "It prints the settings of a service with their values.")
	}
}

var (
	// machineUnits are units with which the machine stops, begins anew, or lets anybody in; and patterns, which may be any.
	machineUnits = lazyre.MustCompile(`(?i)\.target$|^(?:systemd-(?:reboot|soft-reboot|poweroff|halt|kexec|exit|suspend|hibernate|hybrid|sysupdate-reboot|tpm2-clear|factory-reset)|(?:packagekit|fwupd)-offline-update|debug-shell|emergency|rescue|initrd-)|[*?\[\]]`)
	// updateUnits are units that install what is new.
	updateUnits = lazyre.MustCompile(`(?i)^(?:apt-daily-upgrade|dnf5?-automatic|snapd\.refresh|transactional-update|rpm-ostreed-automatic|systemd-sysupdate)`)
	// ownUnits are units that agentd runs in, and the sessions of users.
	ownUnits = lazyre.MustCompile(`(?i)^(?:agentd(?:[-.@]|$)|gatehouse(?:[.@]|$)|user@|user-[0-9]+\.|user-runtime-dir@|session-[0-9c]+\.scope)`)
)

// startsAnything judges the units that a verb which changes something is given.
func (j *judge) startsAnything(args []arg) {
	if anyWord(args, machineUnits.MatchString) {
		j.raise(CriticalRed, "It may stop the machine, or every service of it.")
	}
	if anyWord(args, updateUnits.MatchString) {
		j.raise(Red, "It installs what is new.")
	}
	if anyWord(args, ownUnits.MatchString) {
		j.raise(Red, "It ends what agents run in.")
	}
}

func (j *judge) stopsProtection(args []arg) {
	if anyWord(args, func(w string) bool { return stops[w] }) && anyWord(args, protective.MatchString) {
		j.raise(CriticalRed, "It stops what keeps the machine safe or reachable.")
	}
}

// service is the older way to say systemctl.
func (j *judge) service(args []arg) {
	if j.looks("service", args) {
		return
	}
	verb := ""
	if len(args) == 2 && args[0].fixed && args[1].fixed && unitName.MatchString(args[0].text) {
		verb = args[1].text
	}
	switch verb {
	case "status":
	case "restart", "reload", "start", "force-reload", "try-restart":
		j.raise(Yellow, "It restarts a service.")
	default:
		j.raise(Red, "It stops a service, or the gate does not understand it.")
	}
	j.stopsProtection(args)
	if verb != "status" {
		j.startsAnything(args)
	}
}

// stops are verbs with which a service is not there for a while, or for good.
var stops = words("stop disable mask kill clean force-stop full-restart")
