"""Stand-in for systemctl and journalctl of one user unit, on machines without a running systemd.

Runs ExecStart of the unit with the environment that the unit declares, and receives sd_notify messages on a
datagram socket. The folder SERVICE_STATE holds the socket, the messages (notify.log), the output (output.log)
and the process id. WATCHDOG_USEC is far below that of the unit, so that a test sees an answer.
"""
import os, shlex, signal, socket, sys, time

state = os.environ["SERVICE_STATE"]
unit_file = os.path.join(os.environ["XDG_CONFIG_HOME"], "systemd/user/hearth.service")
path = lambda name: os.path.join(state, name)


def read(name):
    try:
        with open(path(name)) as file:
            return file.read()
    except FileNotFoundError:
        return ""


def main_pid():
    pid = int(read("pid") or 0)
    try:
        os.kill(pid, 0) if pid else None
        return pid
    except ProcessLookupError:
        return 0


def directives(name):
    with open(unit_file) as file:
        return [line.split("=", 1)[1].strip() for line in file if line.startswith(name + "=")]


def run_service(receiver):
    """In the supervisor: starts the service, records its messages until it exits."""
    pid = os.fork()
    if pid == 0:
        output = os.open(path("output.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        unescape = lambda text: text.replace("%%", "%").replace("$$", "$")
        environment = dict(shlex.split(unescape(each))[0].split("=", 1) for each in directives("Environment"))
        environment.update(
            HOME=os.environ["HOME"],
            NOTIFY_SOCKET=path("notify"),
            WATCHDOG_USEC="200000",
            WATCHDOG_PID=str(os.getpid()),
        )
        command = shlex.split(unescape(directives("ExecStart")[0]))
        os.execve(command[0], command, environment)
    with open(path("pid"), "w") as file:
        file.write(str(pid))
    receiver.settimeout(0.05)
    with open(path("notify.log"), "a", buffering=1) as log:
        exited = False
        while not exited:
            exited = os.waitpid(pid, os.WNOHANG)[0] == pid
            try:
                while True:
                    log.write(receiver.recv(4096).decode() + "\n")
            except socket.timeout:
                pass


def start():
    if main_pid():
        return
    for name in ("notify", "notify.log", "pid"):
        if os.path.exists(path(name)):
            os.remove(path(name))
    receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    receiver.bind(path("notify"))
    supervisor = os.fork()
    if supervisor == 0:
        os.setsid()
        for descriptor in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
        run_service(receiver)
        os._exit(0)
    while "READY=1" not in read("notify.log"):
        if os.waitpid(supervisor, os.WNOHANG)[0]:
            sys.exit("Job for hearth.service failed.\n" + read("output.log"))
        time.sleep(0.02)


def stop():
    pid = main_pid()
    if pid:
        os.kill(pid, signal.SIGTERM)
    while main_pid():
        time.sleep(0.02)


command = [word for word in sys.argv[1:] if not word.startswith("-")]
with open(path("commands.log"), "a") as log:
    log.write(" ".join(command) + "\n")
if os.environ["STAND_IN_FOR"] == "journalctl":
    print(read("output.log"), end="")
elif command[0] in ("restart", "stop"):
    stop()
if command[:1] and command[0] in ("restart", "start"):
    start()
if command[:1] == ["show"]:
    print("active" if main_pid() else "inactive")
