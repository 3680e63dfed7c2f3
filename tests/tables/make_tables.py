"""Writes tests/tables/files: the same small table of predictions as the tools that people use write it, and what pandas reads of it.

    pip install pandas pyarrow polars openpyxl duckdb
    python tests/tables/make_tables.py
"""

import datetime as dt
import gzip
import io
import json
import pathlib
import zipfile

import duckdb
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

folder = pathlib.Path(__file__).parent / "files"
folder.mkdir(exist_ok=True)
rng = np.random.default_rng(33)
n = 300
risk = np.round(rng.beta(2, 3, n), 6)
frame = pd.DataFrame({
    "risk": risk,
    "died": (rng.uniform(size=n) < risk).astype(np.int64),
    "age": rng.integers(18, 91, n),
    "bmi": np.where(rng.uniform(size=n) < 0.1, np.nan, np.round(rng.normal(26, 4, n), 1)),
    "ward": pd.Series(rng.choice(["ICU", "A", "B, left", 'C "old"', "Ü"], n)).where(rng.uniform(size=n) > 0.05),
    "smoker": rng.uniform(size=n) < 0.3,
    "admitted": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D"),
    # beyond 2^53: an identifier, not a number
    "patient": 9_007_199_254_740_993 + rng.integers(0, 10**6, n),
})
vectors = rng.normal(size=(n, 4)).astype(np.float32)


def cells(values):
    """What a column holds: numbers, text, or None where it is empty."""
    out = []
    for value in values:
        if value is None or value is pd.NaT or (isinstance(value, float) and np.isnan(value)):
            out.append(None)
        elif isinstance(value, (bool, np.bool_)):
            out.append("true" if value else "false")
        elif isinstance(value, (pd.Timestamp, dt.datetime)):
            out.append(value.date().isoformat())
        elif isinstance(value, (int, np.integer)):
            out.append(int(value) if abs(int(value)) <= 2**53 else str(value))
        elif isinstance(value, (float, np.floating)):
            out.append(float(value))
        elif isinstance(value, (list, np.ndarray)):
            out.append([float(x) for x in value])
        else:
            out.append(str(value))
    return out


expected = {name: cells(frame[name]) for name in frame.columns}
expected["embedding"] = [[float(x) for x in row] for row in vectors]

wide = frame.assign(embedding=list(vectors))
table = pa.Table.from_pandas(wide, preserve_index=False)
for codec in ["snappy", "zstd", "gzip", "lz4", "none"]:
    pq.write_table(table, folder / f"pyarrow_{codec}.parquet", compression=codec, row_group_size=128)
pq.write_table(table, folder / "pyarrow_v2_plain.parquet", use_dictionary=False, data_page_version="2.0")
pq.write_table(table, folder / "pyarrow_brotli.parquet", compression="brotli")
frame.assign(risk=frame.risk.astype("float32")).to_parquet(folder / "pandas.parquet")
pl.from_pandas(frame).with_columns(pl.Series("embedding", vectors.tolist())).write_parquet(folder / "polars.parquet")
decimals = pa.table({
    "risk": pa.array([f"{x:.6f}" for x in risk]).cast(pa.decimal128(9, 6)),
    "died": pa.array(frame.died.astype(bool)),
    "when": pa.array(frame.admitted, pa.date32()),
    "hour": pa.array(frame.admitted + pd.Timedelta(hours=5), pa.timestamp("us", "UTC")),
})
pq.write_table(decimals, folder / "decimals.parquet")
# as Spark stores a vector of probabilities
probability = pa.array(
    [{"type": 1, "size": None, "indices": None, "values": [1 - p, p]} for p in risk],
    pa.struct([("type", pa.int8()), ("size", pa.int32()), ("indices", pa.list_(pa.int32())), ("values", pa.list_(pa.float64()))]),
)
pq.write_table(pa.table({"label": frame.died.astype(float), "probability": probability}), folder / "spark_vector.parquet")

# a column of a type that is left out
interval = "(VALUES (0.25::DOUBLE, 0, INTERVAL 3 DAY), (0.75, 1, INTERVAL 1 MONTH)) AS t(risk, died, stay)"
duckdb.sql(f"COPY (SELECT * FROM {interval}) TO '{folder / 'duckdb_interval.parquet'}' (FORMAT parquet)")

# Arrow files, which pandas and polars call Feather; batches of 128 rows, a dictionary, packed buffers
encoded = table.set_column(table.column_names.index("ward"), "ward", table["ward"].dictionary_encode())
for codec in ["lz4", "zstd", None]:
    options = pa.ipc.IpcWriteOptions(compression=codec)
    with pa.OSFile(str(folder / f"pyarrow_{codec or 'none'}.arrow"), "wb") as file, pa.ipc.new_file(file, encoded.schema, options=options) as out:
        out.write_table(encoded, max_chunksize=128)
frame.to_feather(folder / "pandas.feather")
small = pa.table({"p": [0.25, 0.5, None, 0.75], "y": [1, 0, 1, 0], "g": ["x", None, "a longer text", "x"], "v": [[1.0, 2.0]] * 4})
with pa.OSFile(str(folder / "small.arrow"), "wb") as file, pa.ipc.new_file(file, small.schema) as out:
    out.write_table(small)
pl.from_pandas(frame).write_ipc(folder / "polars.arrow", compression="zstd")

# Arrow streams: the same tables, and a dictionary that a later batch adds to and a still later one replaces
with pa.OSFile(str(folder / "pyarrow_lz4.arrows"), "wb") as file, pa.ipc.new_stream(file, encoded.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as out:
    out.write_table(encoded, max_chunksize=128)
with pa.OSFile(str(folder / "small.arrows"), "wb") as file, pa.ipc.new_stream(file, small.schema) as out:
    out.write_table(small)
with pa.OSFile(str(folder / "dictionaries.arrows"), "wb") as file:
    coded = [pa.DictionaryArray.from_arrays(codes, words) for codes, words in [([0, 1], ["a", "b"]), ([2, 0], ["a", "b", "c"]), ([0, None], ["d"])]]
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    with pa.ipc.new_stream(file, pa.schema([("g", coded[0].type)]), options=options) as out:
        for batch in coded:
            out.write_batch(pa.record_batch({"g": batch}))

# columns of types that are left out, among some that are read
left_out = {
    "stay": pa.array([(1, 2, 3), None, (0, 1, 0)], pa.month_day_nano_interval()),
    "person": pa.array([{"age": 31, "codes": ["x"]}, None, {"age": 52, "codes": []}]),
    "scores": pa.array([[("a", 0.5)], [], None], pa.map_(pa.string(), pa.float64())),
    "drugs": pa.array([["x", "y"], None, []], pa.list_(pa.string())),
    "wards": pa.array([["A"], ["B"], []], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "views": pa.array([["A"], ["a text that is stored apart"], []], pa.list_(pa.string_view())),
    "either": pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])]),
    "or": pa.UnionArray.from_dense(pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [pa.array([1, 2]), pa.array(["a"])]),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([0.5, 0.25])),
    "wide": pa.array([1, None, 3], pa.decimal256(40, 2)),
    "list": pa.array([[1], [2, 3], None], pa.list_view(pa.int8())),
}
kept = {"p": [0.25, None, 0.75], "y": [1, 0, 1], "vector": [[2**60, 1]] * 3}
nested = pa.table({"p": kept["p"]} | dict(list(left_out.items())[:5]) | {"y": kept["y"]} | dict(list(left_out.items())[5:]) | {"vector": kept["vector"]})
with pa.OSFile(str(folder / "left_out.arrow"), "wb") as file, pa.ipc.new_file(file, nested.schema) as out:
    out.write_table(nested)

plain = frame.drop(columns="patient")
with pd.ExcelWriter(folder / "workbook.xlsx", engine="openpyxl") as book:
    pd.DataFrame({"a note": []}).to_excel(book, sheet_name="Read me", index=False)
    plain.to_excel(book, sheet_name="Predictions", index=False)
    plain.head(5).to_excel(book, sheet_name="First five", index=False)
    sheet = book.sheets["Predictions"]
    for (cell,) in sheet["A2": f"A{n + 1}"]:
        cell.number_format = "0.0%"

# a cover of one column and one of two stand before and after the data
with pd.ExcelWriter(folder / "workbook_with_cover.xlsx", engine="openpyxl") as book:
    pd.DataFrame({"Report of the audit": ["Department of medicine", "2024"]}).to_excel(book, sheet_name="Cover", index=False)
    pd.DataFrame({"risk": [0.25, 0.75] * 8, "died": [1, 0] * 8}).to_excel(book, sheet_name="Data", index=False)
    pd.DataFrame({"Author": ["Version"], "A. Person": ["2"]}).to_excel(book, sheet_name="Notes", index=False)

# an index of two levels, whose outer one pandas merges over its rows; a header over two columns is merged, too
with pd.ExcelWriter(folder / "workbook_merged.xlsx", engine="openpyxl") as book:
    index = pd.MultiIndex.from_product([["North", "South"], [1, 2, 3]], names=["site", "patient"])
    pd.DataFrame({"risk": [0.25, 0.75] * 3, "died": [1, 0] * 3}, index=index).to_excel(book, sheet_name="Data")

# durations and times of the day, which a workbook stores as dates, beside dates
book = openpyxl.Workbook()
for row in [
    ["risk", "died", "stay", "at", "admitted"],
    [0.25, 1, dt.timedelta(days=5, hours=6), dt.time(18, 0), dt.date(2024, 3, 5)],
    [0.75, 0, dt.timedelta(hours=12), dt.time(6, 30), dt.date(2024, 3, 6)],
]:
    book.active.append(row)
book.save(folder / "workbook_durations.xlsx")

# a sheet that is hidden, with older numbers, before the one that people see
book = openpyxl.Workbook()
book.active.title = "Old"
for row in [["risk", "died"], [0.5, 0], [0.5, 1], [0.5, 0]]:
    book.active.append(row)
seen = book.create_sheet("Shown")
for row in [["risk", "died"], [0.25, 1], [0.75, 0], [0.125, 1]]:
    seen.append(row)
book.active = 1
book["Old"].sheet_state = "hidden"
book.save(folder / "workbook_hidden.xlsx")

# the same sheet as plain text, as both readers of workbooks write it
def plainly(value):
    if value is None or value is pd.NaT or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, pd.Timestamp):
        return value.date().isoformat()
    text = str(int(value) if isinstance(value, float) and value.is_integer() else value)
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(mark in text for mark in ',"\r\n') else text


lines = [plain.columns, *plain.astype(object).itertuples(index=False)]
(folder / "workbook.csv").write_text("\n".join(",".join(map(plainly, line)) for line in lines))

with pa.OSFile(str(folder / "predictions.csv.zst"), "wb") as file, pa.CompressedOutputStream(file, "zstd") as out:
    out.write(plain.to_csv(index=False).encode())

(folder / "expected.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n")

# an archive of files that belong together, in different orders: one that a library reads, and one that is compressed itself
ids = np.array([f"p{i:03}" for i in range(n)])
shuffled = np.random.default_rng(34).permutation(n)
outcomes = io.BytesIO()
pd.DataFrame({"id": ids, "died": frame["died"]}).to_parquet(outcomes, index=False)
scores = frame[["risk", "age", "ward"]].assign(id=ids).iloc[shuffled].to_csv(index=False)
with zipfile.ZipFile(folder / "parts.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("README.txt", "Predictions and outcomes of 300 patients.\n")
    archive.writestr("parts/outcomes.parquet", outcomes.getvalue())
    archive.writestr("parts/scores.csv.gz", gzip.compress(scores.encode(), mtime=0))
