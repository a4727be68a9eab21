package policy

const (
	asOther   = "Agents act as themselves: they cannot become another user or enter another space."
	noShell   = "No shell is run: write the commands themselves."
	noBuiltin = "This is a command of a shell, and no shell is run."
	noLater   = "Work for later is planned by the team's schedule, not by the machine's."
	disks     = "It destroys or changes disks."
	ownTools  = "Agents do not run agentd or the hub."
	accounts  = "Agents do not change who may do what."
	kernel    = "Agents do not change the running kernel."
)

// never are programs that no approval makes run, with the reason.
var never = map[string]string{
	"sudo": asOther, "su": asOther, "doas": asOther, "pkexec": asOther, "runuser": asOther, "setpriv": asOther, "sg": asOther, "newgrp": asOther,
	"nsenter": asOther, "unshare": asOther, "chroot": asOther, "capsh": asOther, "systemd-run": asOther, "machinectl": asOther, "run0": asOther,
	"sh": noShell, "bash": noShell, "dash": noShell, "zsh": noShell, "ksh": noShell, "mksh": noShell, "fish": noShell, "csh": noShell, "tcsh": noShell,
	"rbash": noShell, "ash": noShell, "busybox": noShell, "toybox": noShell, "pwsh": noShell, "elvish": noShell, "nu": noShell, "xonsh": noShell,
	"script": noShell, "watch": noShell, "expect": noShell, "screen": noShell, "tmux": noShell, "parallel": noShell, "flock": noShell, "entr": noShell,
	"eval": noBuiltin, "source": noBuiltin, ".": noBuiltin, "exec": noBuiltin, "builtin": noBuiltin, "command": noBuiltin, "trap": noBuiltin,
	"alias": noBuiltin, "unalias": noBuiltin, "declare": noBuiltin, "typeset": noBuiltin, "readonly": noBuiltin,
	"export": noBuiltin, "local": noBuiltin, "unset": noBuiltin, "shopt": noBuiltin, "enable": noBuiltin, "bind": noBuiltin, "complete": noBuiltin, "compgen": noBuiltin,
	"hash": noBuiltin, "type": noBuiltin, "let": noBuiltin, "coproc": noBuiltin,
	"ulimit": noBuiltin, "umask": noBuiltin, "jobs": noBuiltin, "fg": noBuiltin, "bg": noBuiltin, "wait": noBuiltin, "disown": noBuiltin, "suspend": noBuiltin,
	"shift": noBuiltin, "getopts": noBuiltin, "history": noBuiltin, "fc": noBuiltin,
	"pushd": noBuiltin, "popd": noBuiltin, "dirs": noBuiltin, "times": noBuiltin, "logout": noBuiltin, "caller": noBuiltin,
	"at": noLater, "atd": noLater, "batch": noLater, "crontab": noLater, "cron": noLater, "anacron": noLater,
	"mkfs": disks, "mke2fs": disks, "mkdosfs": disks, "mkswap": disks, "fdisk": disks, "sfdisk": disks, "cfdisk": disks, "gdisk": disks, "sgdisk": disks, "parted": disks,
	"wipefs": disks, "blkdiscard": disks, "cryptsetup": disks, "pvremove": disks, "vgremove": disks, "lvremove": disks, "mdadm": disks, "hdparm": disks,
	"debugfs": disks, "nvme": disks, "badblocks": disks, "fsck": disks, "e2fsck": disks, "resize2fs": disks, "xfs_repair": disks, "lvreduce": disks, "lvresize": disks, "partprobe": disks, "kpartx": disks, "dd_rescue": disks, "ddrescue": disks, "scrub": disks, "srm": disks, "tune2fs": disks, "umount": disks, "losetup": disks, "swapoff": disks, "swapon": disks, "dmsetup": disks,
	"agentd": ownTools, "hub": ownTools,
	"useradd": accounts, "adduser": accounts, "usermod": accounts, "userdel": accounts, "deluser": accounts, "groupadd": accounts, "groupdel": accounts,
	"groupmod": accounts, "gpasswd": accounts, "passwd": accounts, "chpasswd": accounts, "chage": accounts, "visudo": accounts, "vipw": accounts, "vigr": accounts,
	"chsh": accounts, "chfn": accounts, "setcap": accounts, "setfacl": accounts, "chattr": accounts, "ssh-keygen": accounts, "ssh-add": accounts, "ssh-agent": accounts,
	"ssh-copy-id": accounts, "pam-auth-update": accounts, "update-alternatives": accounts,
	"insmod": kernel, "modprobe": kernel, "rmmod": kernel, "kexec": kernel, "sysctl": kernel, "bpftool": kernel, "bpftrace": kernel, "gdb": kernel, "strace": kernel,
	"ltrace": kernel, "perf": kernel, "ld.so": kernel, "ld-linux-x": kernel,
}

// risky are programs that the table does not understand and that are worse than red.
var risky = map[string]Tier{
	"python": CriticalRed, "pypy": CriticalRed, "perl": CriticalRed, "ruby": CriticalRed, "node": CriticalRed, "nodejs": CriticalRed, "deno": CriticalRed,
	"bun": CriticalRed, "php": CriticalRed, "lua": CriticalRed, "luajit": CriticalRed, "tclsh": CriticalRed, "wish": CriticalRed, "guile": CriticalRed,
	"java": CriticalRed, "jshell": CriticalRed, "groovy": CriticalRed, "gcc": CriticalRed, "cc": CriticalRed, "go": CriticalRed, "rustc": CriticalRed,
	"R": CriticalRed, "Rscript": CriticalRed, "octave": CriticalRed, "ghc": CriticalRed, "irb": CriticalRed, "ipython": CriticalRed, "make": CriticalRed,
	"iptables": CriticalRed, "ip6tables": CriticalRed, "iptables-restore": CriticalRed, "nft": CriticalRed, "ufw": CriticalRed, "firewall-cmd": CriticalRed,
	"shutdown": CriticalRed, "reboot": CriticalRed, "poweroff": CriticalRed, "halt": CriticalRed, "init": CriticalRed, "telinit": CriticalRed,
	"dropdb": CriticalRed, "dropuser": CriticalRed, "pg_dropcluster": CriticalRed, "mysqladmin": CriticalRed, "redis-cli": CriticalRed, "certbot": CriticalRed,
	"ssh": CriticalRed, "scp": CriticalRed, "sftp": CriticalRed, "nc": CriticalRed, "ncat": CriticalRed, "netcat": CriticalRed, "socat": CriticalRed,
	"telnet": CriticalRed, "ftp": CriticalRed, "rsync": CriticalRed, "curl": Red, "wget": Red, "apt": Red, "apt-get": Red, "dpkg": Red, "pip": Red,
	"npm": Red, "kill": Red, "killall": Red, "pkill": Red, "git": Red, "vi": Red, "vim": Red, "nano": Red, "ed": Red, "man": Red,
	"openssl": Red, "gpg": Red, "zfs": CriticalRed, "zpool": CriticalRed, "btrfs": CriticalRed, "ipset": CriticalRed, "ebtables": CriticalRed, "arptables": CriticalRed,
	"nmcli": CriticalRed, "netplan": CriticalRed, "ifconfig": CriticalRed, "route": CriticalRed, "ifdown": CriticalRed, "ifup": CriticalRed, "tc": CriticalRed, "conntrack": CriticalRed,
	"setenforce": CriticalRed, "semanage": CriticalRed, "aa-disable": CriticalRed, "aa-complain": CriticalRed, "aa-teardown": CriticalRed, "apparmor_parser": CriticalRed,
	"auditctl": CriticalRed, "fail2ban-client": CriticalRed, "ufw-docker": CriticalRed, "csf": CriticalRed, "firewalld": CriticalRed, "iptables-save": CriticalRed, "nft-restore": CriticalRed,
	"restic": CriticalRed, "borg": CriticalRed, "borgmatic": CriticalRed, "duplicity": CriticalRed, "kopia": CriticalRed, "tarsnap": CriticalRed, "rclone": CriticalRed, "duplicati-cli": CriticalRed,
	"kubectl": CriticalRed, "helm": CriticalRed, "terraform": CriticalRed, "tofu": CriticalRed, "ansible": CriticalRed, "ansible-playbook": CriticalRed, "pulumi": CriticalRed,
	"aws": CriticalRed, "gcloud": CriticalRed, "az": CriticalRed, "doctl": CriticalRed, "hcloud": CriticalRed, "scw": CriticalRed, "s3cmd": CriticalRed, "mc": CriticalRed, "gsutil": CriticalRed,
	"pg_restore": CriticalRed, "pg_resetwal": CriticalRed, "pg_ctl": CriticalRed, "pg_ctlcluster": CriticalRed, "pg_rewind": CriticalRed, "initdb": CriticalRed,
	"createuser": CriticalRed, "mongorestore": CriticalRed, "mysqlimport": CriticalRed, "mysql_secure_installation": CriticalRed, "clickhouse-client": CriticalRed, "clickhouse": CriticalRed, "cqlsh": CriticalRed,
	"influx": CriticalRed, "etcdctl": CriticalRed, "rabbitmqctl": CriticalRed, "killall5": CriticalRed, "ctr": CriticalRed, "crictl": CriticalRed, "lxc": CriticalRed, "incus": CriticalRed, "virsh": CriticalRed,
	"vault": CriticalRed, "certutil": CriticalRed, "acme.sh": CriticalRed, "lego": CriticalRed, "update-initramfs": CriticalRed, "grub-install": CriticalRed, "update-grub": CriticalRed, "efibootmgr": CriticalRed,
	"telnetd": CriticalRed, "sshd": CriticalRed, "ssh-keyscan": Red, "sshpass": CriticalRed, "mosh": CriticalRed, "ngrok": CriticalRed, "cloudflared": CriticalRed, "chisel": CriticalRed, "tailscale": CriticalRed, "wg": CriticalRed, "wg-quick": CriticalRed,
	"occ": CriticalRed, "wp": CriticalRed, "tsx": CriticalRed, "tsc": Red, "npx": CriticalRed, "pipx": CriticalRed, "uvx": CriticalRed, "pnpm": CriticalRed, "yarn": CriticalRed, "cargo": CriticalRed, "gem": CriticalRed, "composer": CriticalRed, "rake": CriticalRed,
	"loginctl": CriticalRed, "pkttyagent": CriticalRed, "dbus-send": CriticalRed, "busctl": CriticalRed, "gdbus": CriticalRed, "systemd-tmpfiles": CriticalRed, "systemd-cryptenroll": CriticalRed, "resolvectl": CriticalRed,
}
