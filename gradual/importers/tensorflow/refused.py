"""What users are told of operators that are not imported, and what they can do."""

from __future__ import annotations

from fnmatch import fnmatchcase

REASONS = (
    (
        *("Random*", "StatelessRandom*", "StatefulUniform*", "StatefulStandard*", "Multinomial", "*Truncated*Normal*"),
        "random numbers, which no program draws; take them as an input",
    ),
    (
        *("FFT*", "IFFT*", "RFFT*", "IRFFT*", "BatchFFT*", "Complex", "Real", "Imag", "Angle", "Conj", "ComplexAbs"),
        "complex numbers, which programs do not have; compute with real and imaginary parts",
    ),
    (
        *("Enter", "Exit", "NextIteration", "LoopCond", "RefEnter", "RefExit", "RefNextIteration"),
        "a loop of TensorFlow 1; save the graph with `tf.function`, whose loops are functions",
    ),
    (
        *(
            "Assign*",
            "ResourceScatter*",
            "ResourceApply*",
            "Apply*",
            "ScatterUpdate",
            "ScatterAdd",
            "VarIsInitialized*",
        ),
        "a write to a variable, and programs have none; save the model as it is used, with `training=False`",
    ),
    (
        *("String*", "Regex*", "Decode*", "Encode*", "AsString", "Substr", "UnicodeD*", "LookupTable*", "HashTable*"),
        "texts, files or tables, which programs do not have; save the part of the model after it",
    ),
    (
        *("Cholesky*", "MatrixInverse", "MatrixSolve*", "MatrixTriangularSolve", "MatrixDeterminant", "LogMatrix*"),
        *("MatrixSquareRoot", "MatrixExponential", "MatrixLogarithm", "SelfAdjointEig*", "Svd", "Qr", "Lu", "Eig"),
        "a decomposition of matrices, which programs do not have; compute it before, and take its result as an input",
    ),
    (
        *("Quantize*", "Dequantize", "Requantiz*", "UniformQuantize*", "UniformDequantize", "UniformRequantize"),
        "elements of quantized types, which programs do not have; save the model with floats or fake quantization",
    ),
    (
        *("Variable", "VariableV2", "IsVariableInitialized", "Scatter*", "RefIdentity", "RefSwitch", "RefMerge"),
        "a variable of TensorFlow 1; freeze the graph, so that variables are constants",
    ),
    ("*Grad", "*GradV2", "*Backprop*", "BroadcastGradientArgs", "a gradient; save the model as it is used"),
    ("PyFunc*", "EagerPyFunc*", "XlaCallModule", "CustomCall*", "a call of code that is not in the graph"),
)
"""Patterns of operators' names, and what is said of the operators that match one of them."""


def reason(operator: str) -> str:
    """Why an operator is not imported, by the first pattern of its name in `REASONS`."""
    for *forms, says in REASONS:
        if any(fnmatchcase(operator, form) for form in forms):
            return says
    return "an operator that is not imported"
