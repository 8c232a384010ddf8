"""Chromium without a screen: for tests of a page, and for pictures of it."""
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 300


class Failed(Exception):
    """No browser is installed, or it failed; the message has its output."""


def find():
    """Returns the path of a browser; None: no browser is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def run(*words):
    """Returns the browser's standard output. Raises Failed."""
    path = find()
    if path is None:
        raise Failed("no browser: Chromium is needed (scripts/setup --all installs it)")
    with tempfile.TemporaryDirectory() as profile:
        ran = subprocess.run([path, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}",
                              *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=SECONDS, check=False)
    if ran.returncode != 0:
        raise Failed(f"{path} ended with status {ran.returncode}: {ran.stderr[-400:]}")
    return ran.stdout


def picture(page, out, width, height):
    """Writes what a window of this size shows, as PNG."""
    run(f"--window-size={width},{height}", f"--screenshot={out}", f"file://{page}")
