package policy

// dockerCommand is what one subcommand does, and the flags with which it still does just that.
type dockerCommand struct {
	tier  Tier
	flags string // apart by spaces; "=" behind one: it takes a value
	inner bool   // it runs a command in a container
}

const (
	dockerFormat = " --format= -f= --filter= -q --quiet --no-trunc "

	// The flags before the container and the command in it. One that sets the command itself is none of them.
	containerExec = "-d --detach --detach-keys= -e= --env= -i --interactive --privileged -t --tty -u= --user= -w= --workdir="
	containerRun  = containerExec + " --rm --init --read-only --no-healthcheck -q --quiet --sig-proxy --name= -p= --publish= -P --publish-all --expose= -v= --volume= --mount= --tmpfs= --network= --net= --network-alias= --link= --ip= --dns= --add-host= -h= --hostname= -l= --label= -m= --memory= --memory-swap= --cpus= --cpu-shares= --shm-size= --pids-limit= --ulimit= --restart= --stop-signal= --stop-timeout= --platform= --pull= --log-driver= --log-opt= --cap-add= --cap-drop= --security-opt= --device= --gpus= --pid= --ipc= --uts= --userns= -a= --attach="
	composeExec   = "-d --detach -e= --env= --index= -i --interactive --privileged -t --tty -T --no-TTY --no-tty -u= --user= -w= --workdir="
	composeRun    = composeExec + " --rm --build --no-deps --name= -p= --publish= -P --service-ports --use-aliases --quiet-pull --pull= --remove-orphans -v= --volume= -l= --label= --cap-add= --cap-drop="

	composeUp = "-d --detach --no-build --no-deps --no-recreate --no-start --no-color --quiet-pull --wait --wait-timeout= -t= --timeout= "
)

// dockerCommands are all that are understood, with the group before them where there is one. What is not here is
// critical.
var dockerCommands = map[string]dockerCommand{
	"ps": {Green, "-a --all -n= --last= -l --latest -s --size" + dockerFormat, false}, "images": {Green, "-a --all --digests --tree" + dockerFormat, false},
	"logs": {Green, "-n= --tail= --since= --until= -t --timestamps -f --follow --details", false}, "stats": {Green, "-a --all --no-stream --no-trunc --format=", false},
	"inspect": {Green, "-f= --format= -s --size --type=", false}, "top": {Green, "-o= -eo=", false}, "port": {Green, "", false}, "diff": {Green, "", false},
	"history": {Green, "-H --human --format= --no-trunc -q --quiet", false}, "version": {Green, "-f= --format=", false}, "info": {Green, "-f= --format=", false},
	"events": {Green, "-f= --filter= --since= --until= --format=", false}, "wait": {Green, "", false}, "help": {Green, "", false},
	"container ls": {Green, "-a --all -n= --last= -l --latest -s --size" + dockerFormat, false}, "image ls": {Green, "-a --all --digests" + dockerFormat, false},
	"image inspect": {Green, "-f= --format=", false}, "image history": {Green, "-H --human --format= --no-trunc -q --quiet", false},
	"volume ls": {Green, dockerFormat, false}, "volume inspect": {Green, "-f= --format=", false}, "network ls": {Green, dockerFormat, false},
	"network inspect": {Green, "-f= --format= -v --verbose", false}, "system df": {Green, "-v --verbose --format=", false}, "system info": {Green, "-f= --format=", false},
	"system events": {Green, "-f= --filter= --since= --until= --format=", false}, "context ls": {Green, "--format= -q --quiet", false}, "context show": {Green, "", false},
	"buildx ls": {Green, "--format=", false}, "buildx du": {Green, "--filter= --verbose", false}, "buildx version": {Green, "", false}, "builder du": {Green, "--filter= --verbose", false}, "plugin ls": {Green, dockerFormat, false},
	"service ls": {Green, dockerFormat, false}, "service ps": {Green, dockerFormat, false}, "service logs": {Green, "-n= --tail= --since= -t --timestamps -f --follow --no-trunc --raw", false},
	"stack ls": {Green, "--format=", false}, "stack ps": {Green, dockerFormat, false}, "stack services": {Green, dockerFormat, false}, "node ls": {Green, dockerFormat, false}, "node ps": {Green, dockerFormat, false},

	"start": {Yellow, "", false}, "restart": {Yellow, "-t= --time= --timeout=", false}, "pause": {Yellow, "", false}, "unpause": {Yellow, "", false},
	"volume create": {Yellow, "--label= --name=", false}, "network create": {Yellow, "--label= --internal --attachable --subnet=", false}, "tag": {Yellow, "", false},
	"stop": {Red, "", false}, "kill": {Red, "", false}, "rm": {Red, "", false}, "rmi": {Red, "", false}, "rename": {Red, "", false}, "update": {Red, "", false},
	"run": {Red, containerRun, true}, "exec": {Red, containerExec, true}, "create": {Red, containerRun, true}, "attach": {Red, "", false}, "cp": {Red, "", false}, "commit": {Red, "", false},
	"export": {Red, "", false}, "import": {Red, "", false}, "save": {Red, "", false}, "load": {Red, "", false}, "pull": {Red, "", false}, "push": {Red, "", false},
	"build": {Red, "", false}, "search": {Red, "", false}, "container prune": {Red, "", false}, "image rm": {Red, "", false}, "image prune": {Red, "", false},
	"volume rm": {Red, "", false}, "volume update": {Red, "", false}, "volume prune": {CriticalRed, "", false}, "network rm": {Red, "", false}, "network prune": {Red, "", false},
	"network connect": {Red, "", false}, "network disconnect": {Red, "", false}, "system prune": {Red, "", false}, "builder prune": {Red, "", false}, "buildx prune": {Red, "", false},
	"buildx build": {Red, "", false}, "buildx bake": {Red, "", false}, "login": {CriticalRed, "", false}, "logout": {Red, "", false}, "system dial-stdio": {Forbidden, "", false},

	"compose ps": {Green, "-a --all --services --status= --orphans --no-trunc" + dockerFormat, false}, "compose ls": {Green, "-a --all" + dockerFormat, false}, "compose top": {Green, "", false},
	"compose logs":   {Green, "-n= --tail= --since= --until= -t --timestamps -f --follow --no-color --no-log-prefix --index=", false},
	"compose images": {Green, "--format= -q --quiet", false}, "compose port": {Green, "--index= --protocol=", false}, "compose version": {Green, "-f= --format= --short", false},
	"compose events": {Green, "--json --since= --until=", false}, "compose stats": {Green, "-a --all --no-stream --no-trunc --format=", false}, "compose volumes": {Green, dockerFormat, false},
	"compose config": {Red, "", false}, "compose convert": {Red, "", false}, // they print the settings with their values
	"compose up": {Yellow, composeUp, false}, "compose start": {Yellow, "--wait --wait-timeout=", false}, "compose restart": {Yellow, "-t= --timeout= --no-deps", false},
	"compose pause": {Yellow, "", false}, "compose unpause": {Yellow, "", false}, "compose create": {Yellow, "--no-build --no-recreate", false}, "compose scale": {Red, "", false}, // fewer of them: the others are removed
	"compose stop": {Red, "", false}, "compose kill": {Red, "", false}, "compose rm": {Red, "", false}, "compose down": {Red, "", false}, "compose pull": {Red, "", false}, "compose push": {Red, "", false},
	"compose build": {Red, "", false}, "compose run": {Red, composeRun, true}, "compose exec": {Red, composeExec, true}, "compose cp": {Red, "", false}, "compose watch": {Red, "", false},
	"compose attach": {Red, "", false}, "compose commit": {Red, "", false}, "compose export": {Red, "", false}, "compose wait": {Green, "", false},
}

// dockerSame are further names of subcommands.
var dockerSame = map[string]string{"container list": "container ls", "container ps": "container ls", "image list": "image ls", "image remove": "image rm", "volume list": "volume ls", "volume remove": "volume rm", "network list": "network ls", "network remove": "network rm"}

// dockerGroups are words that are followed by a subcommand.
var dockerGroups = words("container image volume network system context builder buildx compose service stack node swarm secret config plugin trust manifest checkpoint")

// dockerGlobal are flags before the subcommand; "=" behind one: it takes a value.
var dockerGlobal = map[string]string{
	"docker":  "-l= --log-level= -v --version -D --debug --help",
	"compose": "-p= --project-name= --profile= --ansi= --progress= --parallel= --compatibility --dry-run --all-resources",
}
