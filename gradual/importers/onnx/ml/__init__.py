"""The operators of ONNX's domain `ai.onnx.ml`: trees, linear models, support vectors, and what prepares their features.

Converters from scikit-learn, LightGBM and XGBoost write them.  A point is a row, a feature a column.
"""
