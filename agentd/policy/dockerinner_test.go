package policy_test

import (
	"testing"

	"gatehouse/agentd/policy"
)

// TestShell_contained: a container does not make a command better, however its flags are written; and what nobody
// knows the container to hold is asked at every level, not ruled out.
func TestShell_contained(t *testing.T) {
	t.Parallel()
	const zip, own = "zip a.zip .env", "/app/bin/run --now"
	for command, want := range map[string]policy.Tier{
		"docker exec web " + zip:                                        policy.Forbidden,
		"docker container exec web " + zip:                              policy.Forbidden,
		"docker exec -it -u root --workdir=/app web " + zip:             policy.Forbidden,
		"docker exec -itu root web " + zip:                              policy.Forbidden,
		"docker exec -e A=b -- web " + zip:                              policy.Forbidden,
		"docker exec --unheard-of 1 web " + zip:                         policy.Forbidden,
		"docker run --rm --name n -p 80:80 -m 1g alpine " + zip:         policy.Forbidden,
		"docker run --entrypoint zip alpine a.zip .env":                 policy.Forbidden,
		"docker compose exec -T --index 2 web " + zip:                   policy.Forbidden,
		"docker compose run --rm --no-deps web " + zip:                  policy.Forbidden,
		"docker-compose exec web " + zip:                                policy.Forbidden,
		"podman exec web " + zip:                                        policy.Forbidden,
		"docker exec web timeout 5 " + zip:                              policy.Forbidden,
		"docker exec web frobnicate /etc/x":                             policy.CriticalRed,
		"docker exec -u www-data web php occ status":                    policy.CriticalRed,
		"docker exec web " + own:                                        policy.CriticalRed,
		"docker exec web ./run .env":                                    policy.Forbidden,
		"docker exec web ls -la /etc/nginx":                             policy.Red,
		"docker exec -u postgres db pg_dump shop":                       policy.Red,
		"docker compose exec -T db mysql -e 'SELECT 1'":                 policy.Red,
		"docker run --rm alpine echo hello":                             policy.Red,
		"docker exec -it web":                                           policy.Red,
		"docker exec web /usr/bin/zip a.zip b.txt":                      policy.Red,
		"docker exec web /usr/local/bin/gitea admin user list --admin":  policy.Red,
		"docker exec -e X=/run/secrets/x web frobnicate --help":         policy.Red,
		"docker run -d --restart always --name web -p 8080:80 nginx":    policy.Red,
		"docker run -d --network shop --name web -e MODE=prod nginx:1a": policy.Red,
	} {
		if got := policy.Shell(command, env); got.Tier != want {
			t.Errorf("%s is %s (%s), wanted %s", command, got.Tier, got.Why, want)
		}
	}
}
