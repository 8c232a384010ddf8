"""The steps that let the firmware start the program once, and the way back."""
import contextlib
import dataclasses
import datetime
import hashlib
import json
import os

from once import entry, esp as disk
from once.variables import Failed

DESCRIPTION = "baretick once"
FOLDER = "\\EFI\\baretick"
IMAGE = f"{FOLDER}\\once.efi"
REPORTS = "\\baretick"  # the folder on the ESP in which the program writes its report (boot/report.c)
STORE = "/var/lib/baretick"
STATE = f"{STORE}/once.json"
INTERRUPTED = (KeyboardInterrupt, SystemExit)  # Ctrl-C, SIGTERM
PARTS = (".jsonl", ".txt")  # the files of a report
# The variable in which the program leaves its result (boot/once.c).
WITNESS, WITNESS_GUID = "BaretickOnce", "6d8f2f0b-5a0e-4c53-9d0c-7c0ff1d5b2a6"


@dataclasses.dataclass
class Run:
    """A prepared run. token: the number in the word once=; image: the bytes of the program; shim: the file that starts
    it, if the firmware would not."""
    system: object
    esp: disk.Esp
    image: bytes
    source: str
    words: list
    token: int
    in_order: bool = False
    shim: str = None
    number: int = None

    @property
    def target(self):
        return disk.file_of(self.system, self.esp, IMAGE)

    @property
    def load_options(self):
        return " ".join([f"once={self.token}", "takeover=borrow", "finish=reboot", *self.words])

    def entry(self):
        """Returns the boot entry. shim takes the first of its load options as the program, and passes it the others."""
        data = f"{IMAGE} {self.load_options}" if self.shim else self.load_options
        return entry.Entry(DESCRIPTION, entry.path_to(self.esp.partition, self.shim or IMAGE), entry.wide(data))


def stored_name(token):
    """Returns the names, without their ends, of the files in which the report of a run is stored."""
    return datetime.datetime.fromtimestamp(token, datetime.timezone.utc).strftime(f"{STORE}/%Y%m%dT%H%M%SZ")


def free_token(system, now):
    """Returns the first number from the time on that no earlier run has: a machine's clock may be set back."""
    last = (state(system) or {}).get("token", -1)
    while now == last or any(os.path.exists(system.path(stored_name(now) + part)) for part in PARTS):
        now += 1
    return now


def is_own(raw):
    """Tests whether a variable Boot#### is one of ours: its description, its file and its first word."""
    try:
        found = entry.decode(raw)
    except entry.Wrong:
        return False
    file, words = found.file, entry.text(found.data)
    if words.startswith("\\"):  # shim starts the file
        file, _, words = words.partition(" ")
    return found.description == DESCRIPTION and file.lower() == IMAGE.lower() and words.startswith("once=")


def own_numbers(variables):
    return [n for n in variables.boot_numbers() if is_own(variables.get(entry.name_of(n)) or b"")]


def free_number(variables, released):
    """Returns the lowest number that no entry has, and that BootOrder and BootNext do not name. released: numbers that
    will be free."""
    taken = {*variables.boot_numbers(), *entry.order(variables.get("BootOrder") or b""),
             *entry.order(variables.get("BootNext") or b"")} - set(released)
    number = next((n for n in range(0x10000) if n not in taken), None)
    if number is None:
        raise Failed("no number is free for a boot entry")
    return number


def is_there(path, data):
    try:
        return hashlib.sha256(disk.read_back(path)).digest() == hashlib.sha256(data).digest()
    except FileNotFoundError:
        return False


def copy_step(run, name):
    """Returns (text, function) of the copy of an image to the ESP. run: with system, esp, image and source."""
    path = disk.file_of(run.system, run.esp, name)
    if is_there(path, run.image):
        return f"keep {name} on {run.esp}: it is the program already", lambda: None
    shortest = min(os.path.relpath(run.source), os.path.abspath(run.source), key=len)
    return (f"copy {shortest} ({len(run.image)} bytes, SHA-256 "
            f"{hashlib.sha256(run.image).hexdigest()[:16]}...) to {name} on {run.esp}", lambda: disk.write(path, run.image))


def deleted(system, esps, files):
    """Deletes files on the ESPs, and the folders of baretick that are empty then. Returns lines that say what was
    deleted."""
    done = []
    for esp in esps:
        done += [f"deleted {name} on {esp}" for name in files if disk.delete(disk.file_of(system, esp, name))]
        done += [f"deleted the folder {name} on {esp}" for name in (FOLDER, REPORTS)
                 if disk.delete_folder(disk.file_of(system, esp, name))]
    return done


def save_state(system, value):
    """Writes what state() returns. After a power cut it is the whole old or the whole new value."""
    disk.write(system.path(STATE), json.dumps(value).encode())


def _remove_entry(variables, number):
    """Deletes an entry of ours, and its number from BootNext and BootOrder. The entry is last: after a power cut it is
    still found."""
    if entry.order(variables.get("BootNext") or b"") == [number]:
        variables.delete("BootNext")
    order = entry.order(variables.get("BootOrder") or b"")
    if number in order:
        variables.set("BootOrder", entry.order_bytes([n for n in order if n != number]))
    variables.delete(entry.name_of(number))


def steps(run):
    """Returns [(text, function)]: what is done, in this order. Up to the last step, which sets BootNext, the next start
    of the machine is as before."""
    variables = run.system.variables
    stale = own_numbers(variables)
    for number in entry.order(variables.get("BootNext") or b""):
        if number not in stale:
            raise Failed(f"BootNext is set to {entry.name_of(number)} by another program: restart the machine first")
    run.number = free_number(variables, stale)
    name = entry.name_of(run.number)
    noted = {"token": run.token, "entry": run.number, "esp": run.esp.mount.where, "partition": run.esp.partition.guid.hex(),
             "boot_id": run.system.boot_id(), "options": run.load_options}
    todo = [(f"note in {STATE} what is changed", lambda: save_state(run.system, noted))]
    todo.append(copy_step(run, IMAGE))
    for number in stale:
        todo.append((f"delete {entry.name_of(number)}, the entry of an earlier run",
                     lambda number=number: _remove_entry(variables, number)))
    if variables.get(WITNESS, WITNESS_GUID) is not None:
        todo.append((f"delete the variable {WITNESS} of an earlier run",
                     lambda: variables.delete(WITNESS, WITNESS_GUID)))
    how = f"{run.shim}, which starts {IMAGE}," if run.shim else IMAGE
    todo.append((f"create {name} \"{DESCRIPTION}\" for {how} on {run.esp.partition}, load options: "
                 f"{run.load_options}",
                 lambda: variables.set(name, entry.encode(run.entry()))))
    if run.in_order:
        todo.append((f"append {name} to BootOrder", lambda: variables.set("BootOrder", entry.order_bytes(
            [*entry.order(variables.get("BootOrder") or b""), run.number]))))
    todo.append((f"set BootNext to {name}", lambda: variables.set("BootNext", entry.order_bytes([run.number]))))
    return todo


def unmounted(system, esps):
    """Returns where the ESP was mounted on which a run was prepared, if it is not one of these; else None."""
    with contextlib.suppress(Failed):
        noted = state(system)
        if noted and not any(esp.partition.guid.hex() == noted["partition"] for esp in esps):
            return noted["esp"]
    return None


def undo(system, esps):
    """Removes everything that `once` has made, except stored reports. Returns lines that say what was removed. The note
    stays as long as the ESP that it names is not mounted."""
    variables, done = system.variables, []
    for number in own_numbers(variables):
        _remove_entry(variables, number)
        done.append(f"deleted {entry.name_of(number)}")
    if variables.delete(WITNESS, WITNESS_GUID):
        done.append(f"deleted the variable {WITNESS}")
    done += deleted(system, esps, [IMAGE])
    if not unmounted(system, esps) and disk.delete(system.path(STATE)):
        done.append(f"deleted {STATE}")
    if disk.delete_folder(system.path(STORE)):
        done.append(f"deleted the folder {STORE}")
    return done


def take(steps, undo, say):
    """Takes all steps that steps() returns; if one fails or is interrupted, calls undo(), which removes what the others have
    made, and raises Failed or what interrupted it."""
    try:
        for text, act in steps():
            say(text)
            act()
    except (Failed, OSError, *INTERRUPTED) as e:
        for line in undo():
            say(line)
        if isinstance(e, INTERRUPTED):
            raise
        raise Failed(f"{e}; everything was reverted") from None


def state(system):
    """Returns what save_state() wrote, or None."""
    text = system.text(STATE)
    try:
        return json.loads(text) if text else None
    except ValueError as e:
        raise Failed(f"{STATE}: is damaged: {e}; `baretick once --undo` removes it") from None
