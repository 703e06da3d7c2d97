"""The desk: all analyses of a process share its workers fairly, one slice of time after the other.

A task does a twentieth of a second of work when it is its turn. Of the tasks with the highest priority the one that was
served longest ago comes next, so nobody waits for somebody else to finish, and one that is stopped is gone within a
slice.
"""

from __future__ import annotations

import os
import threading
import traceback
from abc import ABC, abstractmethod

from pocketzero.errors import PocketZeroError

SLICE_SECONDS = 0.05


class Task(ABC):
    """Work that is done in slices."""

    priority: int = 0

    @abstractmethod
    def work(self) -> bool:
        """Do one slice; says whether there is more to do."""

    @abstractmethod
    def fail(self, reason: str) -> None:
        """A slice has failed; the task is not asked again."""

    def is_ready(self) -> bool:
        """Whether a slice would be of use now."""
        return True


class Desk:
    """A few threads that serve all tasks in turn."""

    def __init__(self, workers: int = 0) -> None:
        self._tasks: dict[Task, int] = {}  # when each was last served
        self._served: set[Task] = set()  # those that a worker has in hand
        self._changed = threading.Condition()
        self._clock = 0
        self._open = True
        self._threads = [
            threading.Thread(target=self._serve, name=f"desk-{number}", daemon=True)
            for number in range(workers or os.cpu_count() or 1)
        ]
        for thread in self._threads:
            thread.start()

    def __len__(self) -> int:
        with self._changed:
            return len(self._tasks)

    def add(self, task: Task) -> None:
        """Begin to serve a task."""
        with self._changed:
            self._tasks[task] = self._clock
            self._changed.notify()

    def remove(self, task: Task) -> None:
        """Serve a task no more; a slice that is under way ends by itself."""
        with self._changed:
            self._tasks.pop(task, None)

    def poke(self) -> None:
        """Some task may have become ready."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """Send the workers home; tasks that are not finished are told so."""
        with self._changed:
            self._open = False
            unfinished = list(self._tasks)
            self._tasks.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(2.0)
        for task in unfinished:
            task.fail("The program ends.")

    def _next(self) -> Task | None:
        """The task to serve now, or None when there is none; the caller holds the lock."""
        ready = [task for task in self._tasks if task not in self._served and task.is_ready()]
        return min(ready, key=lambda task: (-task.priority, self._tasks[task]), default=None)

    def _serve(self) -> None:
        while True:
            with self._changed:
                while self._open and (task := self._next()) is None:
                    self._changed.wait(0.5)
                if not self._open:
                    return
                assert task is not None
                self._served.add(task)
            more = self._slice(task)
            with self._changed:
                self._served.discard(task)
                self._clock += 1
                if not more:
                    self._tasks.pop(task, None)
                elif task in self._tasks:
                    self._tasks[task] = self._clock
                self._changed.notify()
            del task  # a worker that waits keeps nobody's tree

    def _slice(self, task: Task) -> bool:
        try:
            return task.work()
        except PocketZeroError as error:
            task.fail(str(error))
        except Exception as error:  # one broken task must not end the worker
            traceback.print_exc()
            task.fail(f"The {type(task).__name__.lower()} failed: {type(error).__name__}.")
        return False
