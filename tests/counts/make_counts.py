"""Runs the counting statements on every engine that is installed, and writes the fixtures of tests/numbers/counts.rs.

    pip install duckdb datafusion pgserver chdb pyspark sqlglot fakesnow "snowflake-connector-python<4" pandas numpy scikit-learn
    python tests/counts/make_counts.py [rows]
    python tests/counts/make_counts.py --compare [rows]

With --compare nothing is written, and an engine that is not installed is left out, by name; DuckDB must be there. PySpark needs
Java. The statement for Databricks runs on Spark with ANSI mode, that for Spark without. No engine of BigQuery, Snowflake and
SQL Server can be installed: sqlglot parses their statements as SQL of the dialect and translates them to DuckDB, which runs
them. That shows syntax, names and arithmetic, not what the engine itself does with NaN, types and overflow. The statement for
Snowflake is besides run by fakesnow, which imitates Snowflake's names on DuckDB.

The statements are those of tests/counts/statements, which crates/tables/src/counts writes. The table has missing scores,
infinities, NaN, scores of 0 and 1, on the edges of the grid and one step beside them, outcomes that are neither 0 nor 1, bad
weights, missing groups and months. All engines must give the same cells with the same whole numbers, and sums that differ
only by the order of addition. Then the same table without its faults is counted by DuckDB into counts.csv and groups.csv, and
expected.json holds what numpy and scikit-learn compute from its rows.
"""

import importlib.util
import io
import json
import pathlib
import sqlite3
import sys
import tempfile

import numpy as np
import pandas as pd
import pyarrow.parquet

HERE = pathlib.Path(__file__).parent
ONLY_COMPARE = "--compare" in sys.argv
ROWS = next((int(word) for word in sys.argv[1:] if word.isdigit()), 200_000)
WHOLE = ["n", "sum_y"]
# beside DuckDB: the package that runs the statement
ENGINES = {
    "datafusion": "datafusion",
    "sqlite": "sqlite3",
    "postgres": "pgserver",
    "clickhouse": "chdb",
    "spark": "pyspark",
    "databricks": "pyspark",
    "bigquery": "sqlglot",
    "snowflake": "sqlglot",
    "sqlserver": "sqlglot",
    "fakesnow": "fakesnow",
}
# what sqlglot calls dialects whose statements are translated to DuckDB
TRANSLATED = {"bigquery": "bigquery", "snowflake": "snowflake", "sqlserver": "tsql"}


def edges():
    """Scores on the edges of the grids and one step beside them, and toward both ends."""
    e = np.arange(961) / 960
    near = [e, np.nextafter(e, 2), np.nextafter(e, -1), e + 2.0**-43, e - 2.0**-43, e + 2.0**-45, e - 2.0**-45]
    tail = np.concatenate([np.arange(16, 64) / 960 / 4.0**k for k in range(22)])
    near += [tail, np.nextafter(tail, 1), np.nextafter(tail, 0), 1 - tail, np.array([5e-324, 1e-300, 1 - 2.0**-53, -0.0])]
    near = np.concatenate(near)
    return near[(near >= 0) & (near <= 1)]


def table(n, seed, faults):
    g = np.random.default_rng(seed)
    ward = np.array(["ICU", "Med", "Surg", "O'Brien", "Straße"])[g.choice(5, n, p=[0.1, 0.4, 0.3, 0.15, 0.05])]
    shift = pd.Series(ward).map({"ICU": 0.6, "Med": 0, "Surg": -0.2, "O'Brien": 0.1, "Straße": 0}).to_numpy()
    logit = g.normal(-1.6, 1.6, n)
    p = 1 / (1 + np.exp(-logit))
    y = (g.random(n) < 1 / (1 + np.exp(-(0.8 * logit - 0.1 + shift)))).astype(float)
    # a seventh has few digits: many ties, on edges of bins
    few = g.random(n) < 1 / 7
    p[few] = np.round(p[few], 2)
    day = np.datetime64("2024-01-01") + g.integers(0, 90, n).astype("timedelta64[D]")
    w, age = np.round(g.gamma(2, 1, n) + 0.01, 3), np.round(g.normal(60, 20, n), 1)
    if faults:
        planted = edges()
        p[: len(planted)] = planted
        odd = g.permutation(n)[: n // 50]
        k = len(odd) // 8
        for i, value in enumerate([np.nan, np.inf, -np.inf, -0.1, 1.2, np.nextafter(1, 2), -5e-324, 0.0]):
            p[odd[i * k : (i + 1) * k]] = value
        w[g.random(n) < 0.002] = 0
        age[g.random(n) < 0.002] = np.nan
    frame = pd.DataFrame({"risk": p, "died": y, "ward": ward, "sex": np.where(g.random(n) < 0.5, "f", "m"), "day": day})
    frame["w"], frame["age"], frame["percent"] = w, age, p * 100
    frame["outcome"] = np.where(y == 1, "yes", "no")
    null = {}
    if faults:
        frame.loc[g.random(n) < 0.001, "died"] = 9
        null = {c: g.random(n) < 0.003 for c in ["risk", "died", "ward", "day", "outcome", "percent", "w"]}
    return frame, null


def typed(frame, null):
    """Columns with NULL apart from NaN, as pyarrow."""
    import pyarrow as pa

    columns = {}
    for name in frame:
        values = frame[name]
        if name == "died":
            values = values.astype("int32")
        if name == "day":
            values = values.astype("datetime64[s]").dt.date
        values = np.array(values.tolist(), dtype=object) if values.dtype == object else values.to_numpy()
        columns[name] = pa.array(values, mask=null.get(name), from_pandas=False)
    return pa.table(columns)


def run(engine, name, arrow):
    sql = (HERE / "statements" / f"{'snowflake' if engine == 'fakesnow' else engine}.{name}.sql").read_text()
    if engine in TRANSLATED:
        import sqlglot

        [sql] = sqlglot.transpile(sql, read=TRANSLATED[engine], write="duckdb", error_level=sqlglot.ErrorLevel.RAISE)
        # FLOAT(53) has 64 bits in SQL Server, and sqlglot makes a single of it; DuckDB's texts distinguish case as they are
        sql = sql.replace("REAL(53)", "DOUBLE").replace(" COLLATE Latin1_General_100_BIN2", "")
    if engine == "duckdb" or engine in TRANSLATED:
        import duckdb

        connection = duckdb.connect()
        connection.register("visits", arrow)
        return connection.sql(sql).df()
    if engine == "fakesnow":
        return fakesnow(sql, arrow)
    if engine in ("spark", "databricks"):
        return spark(sql, arrow, ansi=engine == "databricks")
    if engine == "datafusion":
        import datafusion

        context = datafusion.SessionContext()
        context.register_record_batches("visits", [arrow.to_batches()])
        return context.sql(sql).to_pandas()
    if engine == "clickhouse":
        from chdb import session

        with tempfile.TemporaryDirectory() as folder:
            pyarrow.parquet.write_table(arrow, f"{folder}/visits.parquet")
            connection = session.Session()
            connection.query(f"CREATE VIEW visits AS SELECT * FROM file('{folder}/visits.parquet', 'Parquet')")
            return pd.read_parquet(io.BytesIO(connection.query(sql, "Parquet").bytes()))
    if engine == "postgres":
        return postgres(sql, arrow)
    connection = sqlite3.connect(":memory:")
    connection.execute("create table visits(risk real, died integer, ward text, sex text, day text, w real, age real,"
                       " percent real, outcome text)")
    order = ["risk", "died", "ward", "sex", "day", "w", "age", "percent", "outcome"]
    columns = [arrow[c].to_pylist() for c in order]
    columns[4] = [None if d is None else d.isoformat() for d in columns[4]]
    connection.executemany("insert into visits values(?,?,?,?,?,?,?,?,?)", zip(*columns))
    return pd.read_sql_query(sql, connection)


def spark(sql, arrow, ansi):
    from pyspark.sql import SparkSession

    settings = {
        "spark.sql.ansi.enabled": str(ansi).lower(),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
    }
    builder = SparkSession.builder.master("local[1]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.conf.set("spark.sql.ansi.enabled", settings["spark.sql.ansi.enabled"])
    with tempfile.TemporaryDirectory() as folder:
        pyarrow.parquet.write_table(arrow, f"{folder}/visits.parquet")
        session.read.parquet(f"{folder}/visits.parquet").createOrReplaceTempView("visits")
        # doubles as they are: through pandas NULL and NaN are one
        session.sql(sql).coalesce(1).write.parquet(f"{folder}/counts")
        return pd.read_parquet(f"{folder}/counts")


def fakesnow(sql, arrow):
    import fakesnow
    import snowflake.connector

    kinds = "risk DOUBLE, died INTEGER, ward VARCHAR, sex VARCHAR, day DATE, w DOUBLE, age DOUBLE, percent DOUBLE, outcome VARCHAR"
    with fakesnow.patch(), snowflake.connector.connect(database="DB", schema="S") as connection:
        cursor = connection.cursor()
        cursor.execute(f"CREATE TABLE visits ({kinds})")
        # a stage would be another imitation; the table beneath is DuckDB's
        beneath = connection._duck_conn
        beneath.register("given", arrow)
        beneath.execute("INSERT INTO DB.S.visits SELECT risk, died, ward, sex, day, w, age, percent, outcome FROM given")
        cursor.execute(sql)
        result = pd.DataFrame(cursor.fetchall(), columns=[column.name for column in cursor.description])
    result.columns = [column.lower() for column in result.columns]
    return result.astype({column: float for column in result if column.startswith(("sum", "n", "total"))})


def postgres(sql, arrow):
    import pgserver

    def written(value):
        if value is None:
            return "\\N"
        return repr(value).replace("inf", "Infinity").replace("nan", "NaN") if isinstance(value, float) else str(value)

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        path.chmod(0o777)
        lines = zip(*[map(written, arrow[c].to_pylist()) for c in arrow.column_names])
        (path / "visits").write_text("".join("\t".join(line) + "\n" for line in lines))
        server = pgserver.get_server(path / "data")
        kind = "double precision"
        server.psql(f"create table visits(risk {kind}, died int, ward text, sex text, day date, w {kind}, age {kind},"
                    f" percent {kind}, outcome text); copy visits from '{path}/visits'")
        server.psql(f"copy ({sql}) to '{path}/counts.csv' with (format csv, header)")
        result = pd.read_csv(path / "counts.csv", float_precision="round_trip")
        server.cleanup()
        return result


def comparable(result, nan_is_null):
    keys = [c for c in result if c.startswith(("group_", "feature_")) or c in ("year_month", "status", "cell")]
    result = result.copy()
    for key in keys:
        result[key] = result[key].astype(object).where(result[key].notna(), "none").map(
            lambda x: str(int(x)) if isinstance(x, (int, float, np.integer, np.floating)) else str(x))
    if nan_is_null:
        # SQLite stores NaN as NULL
        result["status"] = result["status"].replace("p_not_finite", "p_missing")
        sums = [c for c in result if c not in keys and c not in ("settings", "total_rows", "total_cells")]
        result = result.groupby(keys, as_index=False)[sums].sum(min_count=1)
    return result.sort_values(keys).reset_index(drop=True), keys


def compare(name, arrow):
    others = [engine for engine, package in ENGINES.items() if importlib.util.find_spec(package)]
    for engine in ENGINES.keys() - set(others):
        assert ONLY_COMPARE, f"{ENGINES[engine]} is not installed"
        print(f"{name:7s} {engine} was not run: {ENGINES[engine]} is not installed")
    results = {engine: run(engine, name, arrow) for engine in ["duckdb", *others]}
    for engine in others:
        lenient = engine == "sqlite"
        one, keys = comparable(results["duckdb"], lenient)
        other, _ = comparable(results[engine], lenient)
        assert len(one) == len(other), (name, engine, len(one), len(other))
        worst = 0.0
        for column in one:
            a, b = one[column], other[column]
            if column.startswith("total"):
                # SQLite merges NaN with NULL: fewer lines
                assert lenient or a.max() == b.max(), (name, engine, column)
            elif column in keys or column in WHOLE:
                a, b = (x.astype(object) if column in keys else x.astype(float) for x in (a, b))
                assert a.equals(b), (name, engine, column)
            elif column.startswith("sum"):
                a, b = a.to_numpy(float), b.to_numpy(float)
                assert (np.isnan(a) == np.isnan(b)).all(), (name, engine, column)
                both = ~np.isnan(a)
                worst = max(worst, (np.abs(a - b) / np.maximum(np.abs(a), 1e-300))[both & (a != b)].max(initial=0))
        assert worst < 1e-10, (name, engine, worst)
        print(f"{name:7s} DuckDB and {engine:10s}: {len(one):6d} cells, whole numbers equal, sums within {worst:.1e}")
    return results["duckdb"]


def grid_in_numpy(result, p, size):
    """The number of rows a cell has, by the definition of the grid in another language."""
    tail = size // 60
    r = np.floor(p * size + 0.5)
    edge = r / size
    h = np.where((p + 2.0**-44 > edge) & (p - 2.0**-44 < edge), 2 * r, np.where(p < edge, 2 * r - 1, 2 * r + 1))
    v = np.where(h < 2 * tail, p * size, (1 - p) * size)
    t = np.full(len(p), -58.0 * tail - 1)
    for j in range(20, 0, -1):
        z = v * 4.0**j
        t = np.where(z >= tail, np.floor(z) + tail - 3 * tail * j, t)
    t[v == 0] = -58 * tail - 2
    cell = np.where(h < 2 * tail, t, np.where(h > 2 * size - 2 * tail, 2 * size - t, h))
    cells, n = np.unique(cell, return_counts=True)
    found = result[result.status == "ok"].groupby("cell").n.sum()
    assert (found.index.to_numpy(int) == cells.astype(int)).all() and (found.to_numpy() == n).all()


def metrics(p, y):
    from scipy.optimize import minimize
    from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

    out = {"n": len(y), "events": int(y.sum()), "brier": brier_score_loss(y, p), "auroc": roc_auc_score(y, p)}
    q = np.clip(p, 1e-15, 1 - 1e-15)
    out["nll"] = log_loss(y, np.stack([1 - q, q], axis=1))
    out["oe"] = float(y.mean() / p.mean())
    for bins in [10, 12, 15, 16, 20]:
        # scores nearer to an edge than 2^-44 are on it
        edge = np.round(p * bins) / bins
        k = np.where(np.abs(p - edge) < 2.0**-44, np.round(p * bins), np.floor(p * bins))
        k = np.minimum(k, bins - 1).astype(int)
        gap = np.bincount(k, p - y, minlength=bins)
        n = np.bincount(k, minlength=bins)
        out[f"ece_{bins}"] = float(np.abs(gap).sum() / len(y))
        out[f"mce_{bins}"] = float((np.abs(gap)[n > 0] / n[n > 0]).max())
    # scores are clipped as the metrics clip them before the logit
    c = np.clip(p, 2.0**-52, 1 - 2.0**-52)
    z = np.log(c) - np.log1p(-c)

    def fit(with_slope):
        def f(b):
            e = b[0] + (b[1] if with_slope else 1) * z
            m = 1 / (1 + np.exp(-e))
            g = m - y
            return np.mean(np.logaddexp(0, e) - y * e), np.array([g.mean(), (g * z).mean()])[: len(b)]

        return minimize(f, [0.0, 1.0][: 2 if with_slope else 1], jac=True, method="BFGS", options={"gtol": 1e-12}).x

    out["citl"] = float(fit(False)[0])
    out["slope"] = float(fit(True)[1])
    return out


def main():
    frame, null = table(ROWS, 20, True)
    arrow = typed(frame, null)
    for name in ["plain", "groups", "full"]:
        compare(name, arrow)
    if ONLY_COMPARE:
        return

    frame, _ = table(ROWS, 21, False)
    arrow = typed(frame, {})
    plain = run("duckdb", "plain", arrow)
    grid_in_numpy(plain, frame.risk.to_numpy(), 960)
    whole = {"total_rows": "Int64", "total_cells": "Int64", "cell": "Int64"}
    plain.astype(whole).to_csv(HERE / "plain.csv", index=False)
    expected = {"all": metrics(frame.risk.to_numpy(), frame.died.to_numpy())}

    frame, _ = table(20_000, 22, False)
    groups = run("duckdb", "groups", typed(frame, {}))
    grid_in_numpy(groups, frame.risk.to_numpy(), 240)
    groups.astype(whole | {"year_month": "Int64"}).to_csv(HERE / "groups.csv", index=False)
    for ward, part in frame.groupby("ward"):
        expected[ward] = metrics(part.risk.to_numpy(), part.died.to_numpy())
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    # a small one for the corpus, in which every twentieth row has no score; its rows are counted by `localcal count`
    frame, _ = table(400, 23, False)
    rows = typed(frame, {"risk": np.arange(400) % 20 == 0})
    small = run("duckdb", "groups", rows)
    rows = rows.select(["risk", "died", "ward", "day"])
    pyarrow.parquet.write_table(rows, HERE / "rows.parquet", compression="zstd", row_group_size=70)
    rows.to_pandas().to_csv(HERE / "rows.csv", index=False)
    small = small.astype(whole | {"year_month": "Int64"})
    small.to_csv(HERE.parent / "corpus/files/counts.csv", index=False)
    small = pyarrow.Table.from_pandas(small, preserve_index=False)
    pyarrow.parquet.write_table(small, HERE / "counts.parquet", compression="zstd")
    print({f.name: f.stat().st_size for f in HERE.glob("*.csv")})


main()
