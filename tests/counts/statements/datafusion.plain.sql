-- LoCal: counts of rows by cells of the score. It reads the table once and changes nothing.
-- Save the whole result as CSV or Parquet, and open it like any file of predictions.
-- It contains cells of few rows, even of one.
-- To merge these before it leaves a site: localcal count RESULT --suppress 10
WITH source AS (
  SELECT CAST("risk" AS DOUBLE) + 0 AS p0,
    CASE WHEN "died" = 1 THEN 1 WHEN "died" = 0 THEN 0 END AS y0,
    CASE WHEN "died" IS NULL THEN 1 ELSE 0 END AS y_missing
  FROM "visits"
), checked AS (
  SELECT p0, y0,
    CASE WHEN p0 IS NULL THEN 'p_missing'
         WHEN p0 - p0 = 0 AND p0 >= -0.000001 AND p0 <= 1.000001 THEN
           CASE WHEN y_missing = 1 THEN 'y_missing'
             WHEN y0 IS NULL THEN 'y_other'
             ELSE 'ok' END
         WHEN p0 - p0 = 0 AND p0 < 0 THEN 'p_below_0'
         WHEN p0 - p0 = 0 THEN 'p_above_1'
         ELSE 'p_not_finite' END AS status
  FROM source
), used AS (
  SELECT status,
    CASE WHEN status <> 'ok' THEN NULL WHEN p0 < 0 THEN 0 WHEN p0 > 1 THEN 1 ELSE p0 END AS p,
    CASE WHEN status = 'ok' THEN y0 END AS y,
    CASE WHEN status = 'ok' THEN FLOOR(p0 * 960 + 0.5) END AS r
  FROM checked
), halves AS (
  SELECT status, p, y,
    CASE WHEN y = 1 THEN p ELSE 1 - p END AS q,
    CAST(CASE WHEN p + CAST(1 AS DOUBLE) / 17592186044416 > r / 960 AND p - CAST(1 AS DOUBLE) / 17592186044416 < r / 960 THEN 2 * r
              WHEN p < r / 960 THEN 2 * r - 1
              ELSE 2 * r + 1 END AS INTEGER) AS h
  FROM used
), ends AS (
  SELECT status, p, y, q, h,
    CASE WHEN h < 32 THEN p * 960 WHEN h > 1888 THEN (1 - p) * 960 END AS v
  FROM halves
), levels AS (
  SELECT status, p, y, q, h,
    CASE WHEN v IS NULL THEN NULL WHEN v = 0 THEN (-930)
             WHEN v * 4 >= 16 THEN CAST(FLOOR(v * 4) AS INTEGER) + (-32)
             WHEN v * 16 >= 16 THEN CAST(FLOOR(v * 16) AS INTEGER) + (-80)
             WHEN v * 64 >= 16 THEN CAST(FLOOR(v * 64) AS INTEGER) + (-128)
             WHEN v * 256 >= 16 THEN CAST(FLOOR(v * 256) AS INTEGER) + (-176)
             WHEN v * 1024 >= 16 THEN CAST(FLOOR(v * 1024) AS INTEGER) + (-224)
             WHEN v * 4096 >= 16 THEN CAST(FLOOR(v * 4096) AS INTEGER) + (-272)
             WHEN v * 16384 >= 16 THEN CAST(FLOOR(v * 16384) AS INTEGER) + (-320)
             WHEN v * 65536 >= 16 THEN CAST(FLOOR(v * 65536) AS INTEGER) + (-368)
             WHEN v * 262144 >= 16 THEN CAST(FLOOR(v * 262144) AS INTEGER) + (-416)
             WHEN v * 1048576 >= 16 THEN CAST(FLOOR(v * 1048576) AS INTEGER) + (-464)
             WHEN v * 4194304 >= 16 THEN CAST(FLOOR(v * 4194304) AS INTEGER) + (-512)
             WHEN v * 16777216 >= 16 THEN CAST(FLOOR(v * 16777216) AS INTEGER) + (-560)
             WHEN v * 67108864 >= 16 THEN CAST(FLOOR(v * 67108864) AS INTEGER) + (-608)
             WHEN v * 268435456 >= 16 THEN CAST(FLOOR(v * 268435456) AS INTEGER) + (-656)
             WHEN v * 1073741824 >= 16 THEN CAST(FLOOR(v * 1073741824) AS INTEGER) + (-704)
             WHEN v * 4294967296 >= 16 THEN CAST(FLOOR(v * 4294967296) AS INTEGER) + (-752)
             WHEN v * 17179869184 >= 16 THEN CAST(FLOOR(v * 17179869184) AS INTEGER) + (-800)
             WHEN v * 68719476736 >= 16 THEN CAST(FLOOR(v * 68719476736) AS INTEGER) + (-848)
             WHEN v * 274877906944 >= 16 THEN CAST(FLOOR(v * 274877906944) AS INTEGER) + (-896)
             WHEN v * 1099511627776 >= 16 THEN CAST(FLOOR(v * 1099511627776) AS INTEGER) + (-944)
             ELSE (-929) END AS t
  FROM ends
), cells AS (
  SELECT status, p, y,
    CASE WHEN p < CAST(1 AS DOUBLE) / 17592186044416 THEN 0 ELSE p * p END AS pp,
    -LN(CASE WHEN q < 1e-15 THEN 1e-15 ELSE q END) AS loss,
    CASE WHEN h < 32 THEN t WHEN h > 1888 THEN 1920 - t ELSE h END AS cell
  FROM levels
), counts AS (
  SELECT status, cell,
    CAST(COUNT(*) AS BIGINT) AS n,
    SUM(CAST(y AS BIGINT)) AS sum_y,
    SUM(p) AS sum_p,
    SUM(pp) AS sum_pp,
    SUM(p * y) AS sum_py,
    SUM(pp * y) AS sum_ppy,
    SUM(loss) AS sum_loss,
    SUM(loss * y) AS sum_loss_y
  FROM cells GROUP BY status, cell
), numbered AS (
  SELECT counts.*, ROW_NUMBER() OVER (ORDER BY status, cell) AS line,
    SUM(n) OVER () AS all_rows, COUNT(*) OVER () AS all_cells
  FROM counts
)
SELECT CASE WHEN line = 1 THEN 'localcal-counts=1&dialect=datafusion&grid=960&table=visits&score=risk&outcome=died' END AS settings,
  CASE WHEN line = 1 THEN CAST(all_rows AS BIGINT) END AS total_rows,
  CASE WHEN line = 1 THEN CAST(all_cells AS BIGINT) END AS total_cells,
  status, cell, n, sum_y, sum_p, sum_pp, sum_py, sum_ppy, sum_loss, sum_loss_y
FROM numbered ORDER BY line
