"""Runs a Python program with the Automation API, which needs no language host: <folder> <up|preview|destroy>."""

import json
import os
import runpy
import sys

from pulumi import automation as auto

folder, command = sys.argv[1:]
stack = auto.create_or_select_stack(
    stack_name="dev",
    project_name="edges",
    program=lambda: runpy.run_path(os.path.join(folder, "__main__.py")),
)
if command == "up":
    outputs = stack.up().outputs
    print(json.dumps({name: "[secret]" if each.secret else each.value for name, each in outputs.items()}))
elif command == "preview":
    stack.preview(expect_no_changes=True)
else:
    stack.destroy()
