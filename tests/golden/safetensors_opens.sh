#!/usr/bin/env bash
# A model file is a safetensors file: the format's own reader opens it and finds the tensors.
set -euo pipefail
python=$SEPAL_SOURCE/build/python/bin/python # made by tools/setup test
[ -x "$python" ] || python=python3
"$python" -c 'import numpy, safetensors' 2>/dev/null || exit 77
"$SEPAL" train "$SEPAL_SOURCE/examples/data/iris.csv" -m perceptron -o m.sepal
cp "$SEPAL_SOURCE/tests/golden/model-v1.sepal" frozen.sepal
"$python" - m.sepal frozen.sepal <<'PYTHON'
import json, sys
from safetensors import safe_open

for path in sys.argv[1:]:
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    classes, columns = (json.loads(metadata[key]) for key in ("classes", "columns"))
    print(path, metadata["spec"], classes, {name: t.shape for name, t in tensors.items()})
    assert metadata["format"] == "sepal" and metadata["format_version"] == "1"
    assert tensors["weights"].dtype == "float64"
    assert tensors["weights"].shape == (len(classes), len(columns)) == (3, 4)
    assert tensors["bias"].shape == (3,)
    assert classes == ["setosa", "versicolor", "virginica"]
PYTHON
