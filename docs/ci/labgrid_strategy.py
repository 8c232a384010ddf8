"""A labgrid strategy for baretick: switches a machine on, and collects what it writes to its end (docs/ci.md)."""

import enum

import attr
from labgrid import target_factory
from labgrid.strategy import Strategy, StrategyError

SECONDS = 1200  # from power on to the end record, which is also written after an error


class Status(enum.Enum):
    """States of the machine; `unknown` is only the first one."""

    unknown = 0
    off = 1
    measured = 2


@target_factory.reg_driver
@attr.s(eq=False)
class BaretickStrategy(Strategy):
    """`measured`: the program has run to its end, and `text` has what it wrote. `off`: the machine is switched off."""

    bindings = {"power": "PowerProtocol", "console": "ConsoleProtocol"}
    status = attr.ib(default=Status.unknown)
    text = attr.ib(default="", init=False)

    def transition(self, status):
        try:
            wanted = Status[status] if isinstance(status, str) else status
        except KeyError:
            wanted = Status.unknown
        if wanted is Status.unknown:
            raise StrategyError(f"{status} is not a state to reach; off and measured are allowed")
        if wanted is self.status:
            return
        for driver in (self.power, self.console):
            self.target.activate(driver)
        if wanted is Status.off:
            self.power.off()
        else:
            self.status = Status.unknown
            self.power.cycle()
            _, before, _, _ = self.console.expect(r'"type":"end"', timeout=SECONDS)
            self.text = before.decode("utf-8", "replace")
        self.status = wanted
