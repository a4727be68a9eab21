# The business's files, and a network for its tools. No tool is ordered with a server yet.
check() { [ -d /opt/gatehouse ] && docker network inspect gatehouse >/dev/null 2>&1; }

do_it() {
	mkdir -p /opt/gatehouse
	docker network inspect gatehouse >/dev/null 2>&1 || docker network create --internal gatehouse >/dev/null
}
