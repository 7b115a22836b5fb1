"""The demo of this metric: ``python app.py``, from this folder alone, whatever the folder is called.

The folder is a package without a fixed name (a Space has it as ``/home/user/app``), so it is given one here.
"""

import importlib
import sys
import types
from pathlib import Path

PACKAGE = "metric_space"

package = types.ModuleType(PACKAGE)
package.__path__ = [str(Path(__file__).resolve().parent)]
sys.modules[PACKAGE] = package
content = importlib.import_module(f"{PACKAGE}.space_content")
page = importlib.import_module(f"{PACKAGE}.space_page")

demo = page.page_of(content.SPACE)

if __name__ == "__main__":
    page.launch(demo, content.SPACE)
